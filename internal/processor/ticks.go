package processor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// tickEvery is the most often a partition gets a tick.
const tickEvery = time.Second

// keepTime publishes a tick to every partition whose next deadline has come.
// Time reaches the state only through the stream, so while the processor lags
// its ticks lag with it and nobody is accused for the watcher's own delay.
func (p *Processor) keepTime(ctx context.Context) {
	t := time.NewTicker(tickEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		now := p.cfg.Now()
		for _, s := range *p.standing.Load() {
			if due := s.owner.due.Load(); due != 0 && due <= now.UnixMilli() {
				p.tick(ctx, s.owner.number, now)
			}
		}
	}
}

// tick publishes one tick. One that cannot be stored soon is left to the next.
func (p *Processor) tick(ctx context.Context, partition int, now time.Time) {
	bound, cancel := context.WithTimeout(ctx, 2*tickEvery)
	defer cancel()
	_, err := p.Publish(bound, partition, events.Event{Kind: events.Tick, Time: now})
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrNotOwner) {
		p.cfg.Logger.Warn("a tick could not be published", "partition", partition, "error", err)
	}
}

// Publish stores one of our own events on a partition that is ours, else the
// error is ErrNotOwner. Its id is made here where it has none, and it is signed
// by our control key.
func (p *Processor) Publish(ctx context.Context, partition int, e events.Event) (seq uint64, err error) {
	if !p.owns(partition) {
		return 0, fmt.Errorf("publish %s on partition %d: %w", e.Kind, partition, ErrNotOwner)
	}
	e.V = events.Version
	if e.ID == "" {
		id, err := events.NewID(p.cfg.Now(), rand.Reader)
		if err != nil {
			return 0, err
		}
		e.ID = id
	}
	body, err := events.Encode(e)
	if err != nil {
		return 0, err
	}
	sig := p.cfg.Signer.Sign(actions.DomainRecord, events.ReservedSubject(partition, e.Kind), body)
	return p.cfg.Bus.PublishSigned(ctx, partition, string(e.Kind), e.ID, sig, body)
}

// owns reports whether a partition is ours now.
func (p *Processor) owns(partition int) bool {
	for _, s := range *p.standing.Load() {
		if s.owner.number == partition {
			return s.owner.grant.Valid()
		}
	}
	return false
}

// nextDue notes when the partition wants its next tick.
func (o *owner) nextDue() error {
	at, err := o.part.NextDue()
	if err != nil {
		return err
	}
	o.due.Store(at)
	return nil
}
