package processor

import (
	"context"
	"crypto/rand"
	"time"

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
		for _, o := range p.owners {
			if due := o.due.Load(); due != 0 && due <= now.UnixMilli() {
				if _, err := p.Publish(ctx, o.number, events.Event{Kind: events.Tick, Time: now}); err != nil && ctx.Err() == nil {
					p.cfg.Logger.Warn("a tick could not be published", "partition", o.number, "error", err)
				}
			}
		}
	}
}

// Publish stores one of our own events on a partition. Its id is made here
// where it has none.
func (p *Processor) Publish(ctx context.Context, partition int, e events.Event) (seq uint64, err error) {
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
	return p.cfg.Bus.PublishOwn(ctx, partition, string(e.Kind), e.ID, body)
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
