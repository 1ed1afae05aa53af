package replay

import (
	"cmp"
	"slices"
	"time"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// lane is one partition under replay with its engine.
type lane struct {
	replay *Replay
	store  *state.Memory
	part   *state.Partition
	engine *engine.Engine
	clock  time.Time // of a hand-made trace: monotonic
	places []place   // where the spool holds the events of a recorded trace, ascending
}

// place says at which line the event of a stream position was read.
type place struct{ seq, line uint64 }

// quote returns the text of an event that a decision names.
func (l *lane) quote(ref state.Ref) actions.Quote {
	line := ref.Seq
	if len(l.places) > 0 {
		i, ok := slices.BinarySearchFunc(l.places, ref.Seq, func(p place, seq uint64) int { return cmp.Compare(p.seq, seq) })
		if !ok {
			return actions.Quote{}
		}
		line = l.places[i].line
	}
	return l.replay.spool.quote(line)
}

func (r *Replay) newLane(id laneID) (*lane, error) {
	l := &lane{replay: r, store: state.NewMemory()}
	var err error
	if l.part, err = state.OpenPartition(l.store, max(id.partition, 0)); err != nil {
		return nil, err
	}
	return l, nil
}

// wake makes the engine of a new or frozen lane.
func (l *lane) wake() (err error) {
	if l.engine != nil {
		return nil
	}
	policy, fixed := l.replay.opts.Policy, true
	if policy == nil {
		policy, fixed = l.replay.opts.Fallback, false
	}
	l.engine, err = engine.New(l.part, policy, fixed, hashKey)
	return err
}

// freeze keeps the lane's runs as bytes until it is used again.
func (l *lane) freeze() error {
	var b state.Batch
	if err := l.part.Flush(&b); err != nil {
		return err
	}
	if err := l.store.Commit(&b); err != nil {
		return err
	}
	l.part.Committed()
	l.part.Evict()
	l.engine = nil
	return nil
}

// at applies an event of a hand-made trace at the lane's own time, after the
// deadlines that passed until then.
func (l *lane) at(e *events.Event) error {
	c := *e
	c.Stored = c.Time
	if c.Stored.Before(l.clock) {
		c.Stored = l.clock
	}
	if err := l.tick(c.Stored); err != nil {
		return err
	}
	return l.step(&c)
}

// tick lets the lane's time pass to t where a deadline lies before it.
func (l *lane) tick(t time.Time) error {
	l.clock = t
	for {
		next, err := l.part.NextDue()
		if err != nil {
			return err
		}
		if next == 0 || next > t.UnixMilli() {
			return nil
		}
		if err := l.step(&events.Event{V: events.Version, ID: "tick", Kind: events.Tick, Time: t, Stored: t}); err != nil {
			return err
		}
		if again, err := l.part.NextDue(); err != nil || again == next {
			return err
		}
	}
}

// step applies one event and hands on what was decided.
func (l *lane) step(e *events.Event) error {
	if err := l.wake(); err != nil {
		return err
	}
	res, err := l.engine.Step(e)
	if err != nil {
		return err
	}
	if res.Reject != nil {
		l.replay.Summary.Rejected++
		return nil //nolint:nilerr // refused and counted, as the processor does
	}
	for _, d := range res.Decisions {
		m := actions.Render(res.Policy, d, l.quote)
		l.replay.Summary.add(d)
		if fn := l.replay.opts.Message; fn != nil {
			if err := fn(&m); err != nil {
				return err
			}
		}
		if err := l.replay.emit(LineOf(m)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Summary) add(d actions.Decision) {
	if d.Reason != actions.Acted {
		s.Withheld++
		return
	}
	s.Acted++
	switch d.Kind {
	case actions.Inject:
		s.Injected++
	case actions.HaltRun:
		s.Halted++
	case actions.Escalate:
		s.Escalated++
	}
}
