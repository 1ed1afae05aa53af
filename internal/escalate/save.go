package escalate

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go/jetstream"
)

// errMoved says that another instance has written what this one kept: it
// follows the partition now.
var errMoved = errors.New("another instance follows the partition")

func stale(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) ||
		errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
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
