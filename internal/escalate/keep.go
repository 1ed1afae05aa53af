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
	looked  time.Time // when its run was looked at last
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
