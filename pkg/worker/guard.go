package worker

import (
	"fmt"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// guard is the engine inside the worker. It sees every event of the run and
// decides when the bus does not answer in time. What it finds while the bus
// answers is dropped: the processor says the same, under the same ids. It
// knows this process' part of the run only, and nothing of the rest of the
// task.
type guard struct {
	engine  *engine.Engine
	seq     uint64
	quotes  map[uint64]actions.Quote // the newest events
	found   []finding                // since the bus answered last
	answer  engine.Answer            // about the event seen last
	failure error                    // after which the guard is silent
}

// finding is a control that an event led to.
type finding struct {
	place   uint64 // of the event
	control actions.Control
}

// Bounds of what the guard can quote.
const (
	guardQuotes = 512     // events
	guardText   = 4 << 10 // bytes of each
)

// newGuard returns a guard that has seen the run's start.
func newGuard(policy *actions.Policy, start events.Event) (*guard, error) {
	part, err := state.OpenPartition(state.NewMemory(), 0)
	if err != nil {
		return nil, fmt.Errorf("open guard: %w", err)
	}
	eng, err := engine.New(part, policy, true, features.Key{})
	if err != nil {
		return nil, fmt.Errorf("open guard: %w", err)
	}
	g := &guard{engine: eng, quotes: map[uint64]actions.Quote{}}
	g.see(start)
	return g, nil
}

// see applies an event. A fault in here silences the guard; it does not take
// the agent with it.
func (g *guard) see(e events.Event) {
	if g.failure != nil {
		return
	}
	defer func() {
		if x := recover(); x != nil {
			g.failure = fmt.Errorf("guard: %v", x)
		}
	}()
	g.seq++
	e.StreamSeq, e.Stored = g.seq, e.Time
	g.keep(&e)
	res, err := g.engine.Step(&e)
	if err != nil {
		g.failure = err
		return
	}
	g.answer = res.Answer
	for _, d := range res.Decisions {
		if d.Reason == actions.Acted {
			g.found = append(g.found, finding{g.seq, actions.Render(res.Policy, d, g.quote).Control})
		}
	}
}

// keep remembers what decisions may quote of an event.
func (g *guard) keep(e *events.Event) {
	q := actions.QuoteOf(e)
	for _, s := range []*string{&q.Args, &q.Result, &q.Error, &q.Said} {
		*s = string([]byte(head(*s, guardText))) // a copy, so that the whole is not held
	}
	g.quotes[g.seq] = q
	delete(g.quotes, g.seq-guardQuotes)
}

func (g *guard) quote(r state.Ref) actions.Quote { return g.quotes[r.Seq] }

// settled says that the bus answered about the event at place: what was found
// until then reaches the run as controls of the processor.
func (g *guard) settled(place uint64) {
	kept := g.found[:0]
	for _, f := range g.found {
		if f.place > place {
			kept = append(kept, f)
		}
	}
	g.found = kept
}

// decide answers in place of the bus, unless its answer came in the last
// moment: the guard's verdict, or without one what the configuration says.
func (r *Run) decide(q *question) (ruling, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := ruling{said: q.said, guarded: true}
	select {
	case v = <-q.answer:
	default:
		if g := r.guard; g != nil && g.failure == nil {
			r.obeyGuard(g)
			v.replay = r.ownReplay(q)
		} else if r.cfg.FailClosed && q.said.Kind == events.ToolCall {
			return v, ErrBlocked
		}
	}
	if r.halted != nil {
		return ruling{}, r.halted
	}
	return v, nil
}

// obeyGuard acts on what the guard found since the bus answered last. The
// caller holds mu.
func (r *Run) obeyGuard(g *guard) {
	found := g.found
	g.found = nil // obeying is seen by the guard, too
	for _, f := range found {
		r.obey(f.control, true)
	}
}

// ownReplay returns the earlier result that the guard wants handed back, where
// we have it.
func (r *Run) ownReplay(q *question) *Output {
	if q.own.Decision != actions.ReplayCall {
		return nil
	}
	return r.results.output(r.guard.quotes[q.own.ReplayOf.Seq].CallID, q.said.Time)
}
