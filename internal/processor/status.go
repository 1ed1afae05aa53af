package processor

import (
	"context"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Status is how one partition stands.
type Status struct {
	Partition int          `json:"partition"`
	Applied   uint64       `json:"applied"` // sequence of the last event applied and committed
	Policy    string       `json:"policy"`
	Counts    state.Counts `json:"counts"`
	Junk      uint64       `json:"junk"` // foreign records met in the decision log
	ClockMS   int64        `json:"clock_ms"`
}

// Status returns how every partition stood after the last commit. It may be
// called from any goroutine.
func (p *Processor) Status() []Status { return *p.status.Load() }

func (p *Processor) publishStatus() {
	out := make([]Status, len(p.owners))
	for i, o := range p.owners {
		m := &o.part.Meta
		out[i] = Status{
			Partition: o.number, Applied: m.Checkpoint.Seq, Policy: o.engine.Policy().Ref(), Counts: m.Counts,
			Junk: o.log.Junk(), ClockMS: m.ClockMS,
		}
	}
	p.status.Store(&out)
}

// checkReady closes ready once everything stored before the start is applied.
func (p *Processor) checkReady() {
	for _, o := range p.owners {
		if o.part.Meta.Checkpoint.Seq < o.target {
			return
		}
	}
	p.once.Do(func() { close(p.ready) })
}

// ask is a question about the runs, answered between two batches.
type ask struct {
	about  func(*Processor) error
	answer chan error
}

// Ask calls fn with every partition between two batches; fn must not change
// anything and must not keep what it is given.
func (p *Processor) Ask(ctx context.Context, fn func(*state.Partition, *actions.Policy) error) error {
	a := ask{answer: make(chan error, 1), about: func(p *Processor) error {
		for _, o := range p.owners {
			if err := fn(o.part, o.engine.Policy()); err != nil {
				return err
			}
		}
		return nil
	}}
	select {
	case p.asks <- a:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-a.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
