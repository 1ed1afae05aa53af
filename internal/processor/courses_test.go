package processor

import (
	"fmt"
	"testing"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// steps is an owner whose events are stepped and followed in batches.
type steps struct {
	*testing.T
	*owner
	n     int
	batch []*work
}

func newSteps(t *testing.T) *steps {
	t.Helper()
	part, err := state.OpenPartition(state.NewMemory(), 0)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := actions.Preset("sundry")
	if err != nil {
		t.Fatal(err)
	}
	g, err := engine.New(part, policy, false, features.Key{})
	if err != nil {
		t.Fatal(err)
	}
	return &steps{T: t, owner: &owner{part: part, engine: g, courses: courses{}}}
}

func (s *steps) step(e events.Event) {
	s.Helper()
	s.n++
	e.V, e.ID, e.Tenant, e.Agent, e.Task, e.Run, e.Seq = 1, fmt.Sprint("e", s.n), "default", "a", "t", "r", uint64(s.n)
	e.Time, e.Stored, e.StreamSeq = storedAt, storedAt, uint64(s.n)
	w := &work{owner: s.owner, event: e, msg: natsbus.Msg{Seq: uint64(s.n), Stored: storedAt}}
	var err error
	if w.result, err = s.engine.Step(&w.event); err != nil {
		s.Fatal(err)
	}
	s.courses.begin(w)
	s.batch = append(s.batch, w)
}

// round is a turn at 10 cents that asks the same and gets the same.
func (s *steps) round(n int) {
	cost, id := 0.1, fmt.Sprint("c", n)
	s.step(events.Event{Kind: events.TurnKind, Round: n, Turn: &events.Turn{CostUSD: &cost}})
	s.step(events.Event{Kind: events.ToolCall, Round: n, Call: &events.Call{ID: id, Tool: "look", Args: events.RawJSON(`{}`)}})
	s.step(events.Event{Kind: events.ToolResult, Round: n, Result: &events.Result{CallID: id, Tool: "look", Content: events.RawJSON(`"nothing"`)}})
}

// follow ends the batch and returns what it saved.
func (s *steps) follow() (turns, usd float64) {
	for _, w := range s.batch {
		for _, d := range w.result.Decisions {
			m := actions.Render(w.result.Policy, d, func(state.Ref) actions.Quote { return actions.Quote{} })
			w.out = append(w.out, outgoing{decision: d, message: m})
		}
		saved := s.courses.follow(w)
		turns, usd = turns+saved.Turns, usd+saved.USD
	}
	s.batch = nil
	return turns, usd
}

func TestWhatAHaltedRunDoesNotSpend(t *testing.T) {
	for _, tt := range []struct {
		name    string
		batches bool
		late    int // rounds before the course may begin
		turns   float64
	}{{"in one batch", false, 0, 16}, {"event by event", true, 0, 16}, {"its past is not known", true, 2, 0}} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSteps(t)
			s.step(events.Event{Kind: events.RunStart, Start: &events.Start{Limits: events.Limits{MaxTurns: 20}}})
			var turns, usd float64
			for n := 1; n <= 4; n++ {
				s.round(n)
				if n == tt.late {
					s.follow()
					clear(s.courses)
				}
				if tt.batches {
					s.follow()
				}
			}
			s.step(events.Event{Kind: events.RunEnd, End: &events.End{Status: events.Stuck}})
			turns, usd = s.follow()
			if turns != tt.turns || usd < 0.0999*tt.turns || usd > 0.1001*tt.turns {
				t.Errorf("saved %v turns and %v USD, want %v turns at 0.1", turns, usd, tt.turns)
			}
			if len(s.courses) != 0 {
				t.Errorf("%d courses are left", len(s.courses))
			}
		})
	}
}
