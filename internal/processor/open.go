package processor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/lease"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// open takes a partition over: it verifies that the stored state belongs to
// the stream, raises the epoch so that any earlier owner is fenced, and finds
// out how far the decision log already got.
func (p *Processor) open(ctx context.Context, g *lease.Grant) (*owner, error) {
	o := &owner{number: g.Partition, grant: g, courses: courses{}}
	var err error
	if o.part, err = p.load(g.Partition); err != nil {
		return nil, err
	}
	if err = p.verify(ctx, o); err != nil {
		return nil, err
	}
	if o.engine, err = engine.New(o.part, p.cfg.Policy, false, p.cfg.HashKey); err != nil {
		return nil, err
	}
	if err = p.raise(ctx, o); err != nil {
		return nil, err
	}
	if o.logged, err = p.readLogged(ctx, o); err != nil {
		return nil, err
	}
	return o, o.nextDue()
}

// load reads a partition's record. One that is corrupt is dropped with all
// that belongs to it and rebuilt from the stream.
func (p *Processor) load(n int) (*state.Partition, error) {
	part, err := state.OpenPartition(p.cfg.Store, n)
	if !errors.Is(err, state.ErrCorrupt) {
		return part, err
	}
	p.cfg.Logger.Error("the stored state is corrupt; it is rebuilt from what the stream holds", "partition", n, "error", err)
	p.cfg.Metrics.rebuilt()
	p.writes.Lock()
	defer p.writes.Unlock()
	if err := state.DropPartition(p.cfg.Store, n); err != nil {
		return nil, err
	}
	return state.OpenPartition(p.cfg.Store, n)
}

// verify compares the checkpoint with the stream. A state that does not belong
// to the stream is dropped and rebuilt from what the stream holds.
func (p *Processor) verify(ctx context.Context, o *owner) error {
	at := o.part.Meta.Checkpoint
	standing, stream, err := p.cfg.Bus.Verify(ctx, o.number, natsbus.Checkpoint{
		Seq: at.Seq, Created: timeOf(at.CreatedNS), Digest: at.Digest,
	})
	if err != nil {
		return fmt.Errorf("verify checkpoint %d: %w", at.Seq, err)
	}
	o.stream, o.target = stream, stream.Last
	switch standing {
	case natsbus.Sound, natsbus.Behind:
		return nil
	case natsbus.Gone:
		return fmt.Errorf("stream %s is gone: run provision, or start with --embedded", natsbus.EventStream(o.number))
	}
	p.cfg.Logger.Error("the stored state does not belong to the stream; it is rebuilt from what the stream holds",
		"partition", o.number, "checkpoint", at.Seq, "standing", standing.String())
	p.cfg.Metrics.rebuilt()
	p.writes.Lock()
	defer p.writes.Unlock()
	if err := o.part.Drop(); err != nil {
		return err
	}
	o.part, err = state.OpenPartition(p.cfg.Store, o.number)
	return err
}

// logged is what the decision log already holds of a partition.
type logged struct {
	last actions.Position
	ids  map[actions.Position]string // from the checkpoint on
}

// covers reports whether a decision at that position was logged before.
func (l *logged) covers(at actions.Position) bool {
	return at.Stream == l.last.Stream && !l.last.Before(at) && l.last.Seq > 0
}

// readLogged finds the last position in the decision log and, for what will be
// applied again, which decision stands at which position.
func (p *Processor) readLogged(ctx context.Context, o *owner) (logged, error) {
	l := logged{ids: map[actions.Position]string{}}
	created := o.stream.Created.UnixMilli()
	err := o.log.ReadBack(ctx, func(r natsbus.Record) bool {
		at, _, ok := p.placed(r, created)
		if ok {
			l.last = at
		}
		return !ok
	})
	if err != nil {
		return l, fmt.Errorf("read the end of the decision log: %w", err)
	}
	from := o.part.Meta.Checkpoint.Seq
	if l.last.Seq <= from {
		return l, nil
	}
	start, err := o.log.SeekBack(ctx, func(r natsbus.Record) bool {
		at, _, ok := p.placed(r, created)
		return ok && at.Seq <= from
	})
	if err != nil {
		return l, fmt.Errorf("find the checkpoint in the decision log: %w", err)
	}
	err = o.log.ReadFrom(ctx, start, func(r natsbus.Record) error {
		if at, id, ok := p.placed(r, created); ok && at.Seq > from {
			l.ids[at] = id
		}
		return nil
	})
	if err != nil {
		return l, fmt.Errorf("read the decision log: %w", err)
	}
	return l, nil
}

// placed reads position and identity of a record that a trusted key signed and
// that belongs to the stream created at that time.
func (p *Processor) placed(r natsbus.Record, created int64) (actions.Position, string, bool) {
	if !p.genuine(domainOf(r.Subject), liveSubject(r.Subject), r) {
		return actions.Position{}, "", false
	}
	var c struct {
		ID       string           `json:"id"`
		Incident string           `json:"incident"`
		Reason   string           `json:"reason"`
		At       actions.Position `json:"at"`
	}
	if json.Unmarshal(r.Data, &c) != nil || c.At.Seq == 0 || c.At.Stream != created {
		return actions.Position{}, "", false
	}
	if c.ID == "" {
		c.ID = c.Incident + "/" + c.Reason
	}
	return c.At, c.ID, true
}

// timeOf is a time in nanoseconds since 1970; 0 is no time.
func timeOf(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}
