package escalate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go/jetstream"
)

// Bucket is the name of the key-value bucket with what was read and what is
// open.
const Bucket = "LW_ESCALATIONS"

// markerTTL is how long the bucket remembers that an entry was removed.
const markerTTL = time.Hour

// errMoved says that another instance has written what this one kept: it
// follows the partition now.
var errMoved = errors.New("another instance follows the partition")

// openBucket opens the bucket, made where it is missing.
func openBucket(ctx context.Context, js jetstream.JetStream, replicas int) (jetstream.KeyValue, error) {
	kv, err := js.KeyValue(ctx, Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: Bucket, Description: "loopwatch escalations that are open", History: 1, Replicas: max(replicas, 1),
			Storage: jetstream.FileStorage, LimitMarkerTTL: markerTTL,
		})
		if errors.Is(err, jetstream.ErrBucketExists) {
			kv, err = js.KeyValue(ctx, Bucket)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", Bucket, err)
	}
	return kv, nil
}

// position is how far a decision log was read.
type position struct {
	Created time.Time `json:"created"` // of the log
	Seq     uint64    `json:"seq"`     // of the last record read
	Base    uint64    `json:"base"`    // what was logged up to here was before anybody followed
}

// item is an open escalation with what is remembered of saying it.
type item struct {
	Escalation
	rev     uint64 // of its entry
	stands  Standing
	posting bool // its webhook is under way
	tries   int  // failed attempts of its webhook
	next    time.Time
	told    map[*receiver]told
	ended   time.Time // when it was found closed
}

// told is what an Alertmanager knows of an escalation.
type told struct {
	at     time.Time // when it took the last post
	closed bool      // that post resolved it
}

// watched is a partition that is followed.
type watched struct {
	p    int
	at   position
	rev  uint64 // of the position's entry, 0 for none yet
	open map[string]*item
}

func positionKey(p int) string        { return "position." + strconv.Itoa(p) }
func openKey(p int, id string) string { return "open." + strconv.Itoa(p) + "." + id }
func openFilter(p int) string         { return "open." + strconv.Itoa(p) + ".*" }
func (w *watched) key(i *item) string { return openKey(w.p, i.ID) }
func stale(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) ||
		errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// take reads what is kept of a partition.
func (s *Service) take(ctx context.Context, p int) (*watched, error) {
	w := &watched{p: p, open: map[string]*item{}}
	at, err := s.cfg.Bus.LogState(ctx, p)
	if err != nil {
		return nil, err
	}
	e, err := s.kv.Get(ctx, positionKey(p))
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
	case err != nil:
		return nil, fmt.Errorf("read position of partition %d: %w", p, err)
	default:
		w.rev = e.Revision()
		if err := json.Unmarshal(e.Value(), &w.at); err != nil {
			return nil, fmt.Errorf("read position of partition %d: %w: remove key %s of bucket %s to begin anew", p, err, positionKey(p), Bucket)
		}
	}
	if !w.at.Created.Equal(at.Created) {
		w.at = position{Created: at.Created, Base: at.Last}
		if err := s.savePosition(ctx, w); err != nil {
			return nil, err
		}
	}
	return w, s.takeOpen(ctx, w)
}

// takeOpen reads the open escalations of a partition.
func (s *Service) takeOpen(ctx context.Context, w *watched) error {
	all, err := s.kv.Watch(ctx, openFilter(w.p), jetstream.IgnoreDeletes())
	if err != nil {
		return fmt.Errorf("read open escalations of partition %d: %w", w.p, err)
	}
	defer func() { _ = all.Stop() }()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, more := <-all.Updates():
			if !more {
				return fmt.Errorf("read open escalations of partition %d: the bucket stopped answering", w.p)
			}
			if e == nil {
				return nil
			}
			i := &item{rev: e.Revision(), told: map[*receiver]told{}}
			if err := json.Unmarshal(e.Value(), &i.Escalation); err != nil || openKey(w.p, i.ID) != e.Key() {
				s.cfg.Logger.Warn("an entry is no escalation and is passed over", "bucket", Bucket, "key", e.Key(), "error", err)
				continue
			}
			w.open[i.ID] = i
		}
	}
}

func (s *Service) savePosition(ctx context.Context, w *watched) error {
	b, err := json.Marshal(w.at)
	if err != nil {
		return fmt.Errorf("encode position: %w", err)
	}
	var rev uint64
	if w.rev == 0 {
		rev, err = s.kv.Create(ctx, positionKey(w.p), b)
	} else {
		rev, err = s.kv.Update(ctx, positionKey(w.p), b, w.rev)
	}
	if err != nil {
		return saving(w.p, err)
	}
	w.rev = rev
	return nil
}

// saveNew keeps an escalation that was just read. One that is kept already, by
// this instance before it died or by another, stays as it is.
func (s *Service) saveNew(ctx context.Context, w *watched, i *item) error {
	b, err := json.Marshal(i.Escalation)
	if err != nil {
		return fmt.Errorf("encode escalation %s: %w", i.ID, err)
	}
	i.rev, err = s.kv.Create(ctx, w.key(i), b)
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return saving(w.p, err)
	}
	e, err := s.kv.Get(ctx, w.key(i))
	if err != nil {
		return saving(w.p, err)
	}
	i.rev = e.Revision()
	return saving(w.p, json.Unmarshal(e.Value(), &i.Escalation))
}

func (s *Service) save(ctx context.Context, w *watched, i *item) error {
	b, err := json.Marshal(i.Escalation)
	if err != nil {
		return fmt.Errorf("encode escalation %s: %w", i.ID, err)
	}
	rev, err := s.kv.Update(ctx, w.key(i), b, i.rev)
	if err != nil {
		return saving(w.p, err)
	}
	i.rev = rev
	return nil
}

func (s *Service) remove(ctx context.Context, w *watched, i *item) error {
	err := s.kv.Purge(ctx, w.key(i), jetstream.LastRevision(i.rev), jetstream.PurgeTTL(markerTTL))
	if err == nil {
		delete(w.open, i.ID)
	}
	return saving(w.p, err)
}

func saving(p int, err error) error {
	switch {
	case err == nil:
		return nil
	case stale(err):
		return fmt.Errorf("keep escalations of partition %d: %w", p, errMoved)
	}
	return fmt.Errorf("keep escalations of partition %d: %w", p, err)
}
