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

// standing is an owner's status for other goroutines.
type standing struct {
	Status
	owner  *owner
	census state.Census
}

// Status returns how every partition that is ours stood after the last commit.
// It may be called from any goroutine.
func (p *Processor) Status() []Status {
	out := []Status{}
	for _, s := range *p.standing.Load() {
		if s.owner.grant.Valid() {
			out = append(out, s.Status)
		}
	}
	return out
}

func (p *Processor) publishStatus() {
	out := []standing{}
	for o := range p.owned() {
		m := &o.part.Meta
		out = append(out, standing{owner: o, census: m.Census, Status: Status{
			Partition: o.number, Applied: m.Checkpoint.Seq, Policy: o.engine.Policy().Ref(), Counts: m.Counts,
			Junk: o.log.Junk(), ClockMS: m.ClockMS,
		}})
	}
	p.standing.Store(&out)
	p.cfg.Metrics.standing(out)
}

// ask is a question about the runs, answered between two batches.
type ask struct {
	about  func(*Processor) error
	answer chan error
}

// Ask calls fn with every partition that is ours, between two batches; fn must
// not change anything and must not keep what it is given.
func (p *Processor) Ask(ctx context.Context, fn func(*state.Partition, *actions.Policy) error) error {
	a := ask{answer: make(chan error, 1), about: func(p *Processor) error {
		for o := range p.owned() {
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
