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
// answers is dropped: the processor says the same, under the same ids.
type guard struct {
	engine  *engine.Engine
	part    *state.Partition
	seq     uint64
	texts   map[uint64]events.Event // the newest events, for quotes and replays
	found   []actions.Control       // since the bus answered last
	answer  engine.Answer           // about the event seen last
	failure error                   // after which the guard is silent
}

// guardTexts is how many events the guard can quote.
const guardTexts = 512

func newGuard(cfg Config) (*guard, error) {
	policy := cfg.Guard
	if policy == nil {
		p, err := actions.Preset(actions.DefaultPreset)
		if err != nil {
			return nil, err
		}
		policy = p
	}
	part, err := state.OpenPartition(state.NewMemory(), 0)
	if err != nil {
		return nil, fmt.Errorf("open guard: %w", err)
	}
	eng, err := engine.New(part, policy, true, features.Key{})
	if err != nil {
		return nil, fmt.Errorf("open guard: %w", err)
	}
	return &guard{engine: eng, part: part, texts: map[uint64]events.Event{}}, nil
}

// see applies an event.
func (g *guard) see(e events.Event) {
	if g.failure != nil {
		return
	}
	g.seq++
	e.StreamSeq, e.Stored = g.seq, e.Time
	g.texts[g.seq] = e
	delete(g.texts, g.seq-guardTexts)
	res, err := g.engine.Step(&e)
	if err != nil {
		g.failure = err
		return
	}
	g.answer = res.Answer
	for _, d := range res.Decisions {
		if d.Reason == actions.Acted {
			m := actions.Render(res.Policy, d, g.quote)
			g.found = append(g.found, m.Control)
		}
	}
}

func (g *guard) quote(r state.Ref) actions.Quote {
	e, ok := g.texts[r.Seq]
	if !ok {
		return actions.Quote{}
	}
	return actions.QuoteOf(&e)
}

// opinion returns what the guard says of the event it saw last.
func (g *guard) opinion() engine.Answer {
	if g == nil {
		return engine.Answer{}
	}
	return g.answer
}

// settled says that the bus answers: what was found until now reaches the run
// as controls of the processor.
func (g *guard) settled() { g.found = g.found[:0] }

// decide answers in place of the bus.
func (r *Run) decide(asked events.Event, own engine.Answer) (ruling, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fallback(asked, own)
}

// fallback is the guard's verdict, or without one what the configuration says.
// The caller holds mu.
func (r *Run) fallback(asked events.Event, own engine.Answer) (ruling, error) {
	v := ruling{guarded: true}
	v.Decision = actions.Allow
	g := r.guard
	if g == nil || g.failure != nil {
		if r.cfg.FailClosed && asked.Kind == events.ToolCall {
			return v, ErrBlocked
		}
		return v, nil
	}
	for _, c := range g.found {
		r.obey(c)
	}
	g.found = g.found[:0]
	if r.halted != nil {
		return v, r.halted
	}
	if own.Decision == actions.ReplayCall {
		if e, ok := g.texts[own.Replay.Seq]; ok && e.Result != nil {
			v.Decision = actions.ReplayCall
			v.Replay = &actions.Answer{
				OfCallID: e.Result.CallID, Content: []byte(e.Result.Content),
				Label: actions.Label(e.Result.CallID, asked.Time.Sub(e.Time)),
			}
		}
	}
	return v, nil
}
