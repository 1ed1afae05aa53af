package report

import (
	"testing"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// What an operator lifts is halted no more; what was granted counts.
func TestResumedRuns(t *testing.T) {
	loop := func(b *book) { b.decide("r", "repeat", 2, actions.HaltRun, actions.Acted) }
	people := func(b *book) { b.decide("r", "operator", 1, actions.HaltRun, actions.Acted) }
	for _, tt := range []struct {
		name  string
		halt  func(*book)
		scope events.Scope
		again bool // it loops again and is halted
		turns float64
		out   string
	}{
		{"the run", loop, events.Scope{Run: "r"}, false, 0, ""},
		{"its task", loop, events.Scope{Tenant: "default", Task: "t-r"}, false, 0, ""},
		{"another run", loop, events.Scope{Run: "q"}, false, 7, ""},
		{"another task", loop, events.Scope{Task: "t-q"}, false, 7, ""},
		{"another tenant", loop, events.Scope{Tenant: "other", Run: "r"}, false, 7, ""},
		{"another agent", people, events.Scope{Agent: "coder"}, false, 0, outPeople},
		{"all of its agent, halted by a detector", loop, events.Scope{Agent: "support"}, false, 7, ""},
		{"all of its agent, halted by an operator", people, events.Scope{Agent: "support"}, false, 0, ""},
		{"and it loops again", loop, events.Scope{Run: "r"}, true, 12, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBook(t, Options{})
			b.start("r", events.Limits{MaxTurns: 10})
			b.rounds("r", 1, 3)
			tt.halt(b)
			act := events.Event{V: 1, ID: "act", Kind: events.OperatorAct, Time: b.now, Operator: &events.Operator{
				Action: "resume", Scope: tt.scope, Add: events.Limits{MaxTurns: 5},
			}}
			b.c.Event(&act)
			if tt.again {
				loop(b)
			}
			b.end("r", events.Failed)
			got := b.c.Finish().Savings
			if got.Total.Turns != tt.turns || tt.out != "" && got.LeftOut[tt.out] != 1 || tt.out == "" && len(got.LeftOut) != 0 {
				t.Errorf("%v turns saved, left out %v; want %v, %q", got.Total.Turns, got.LeftOut, tt.turns, tt.out)
			}
		})
	}
}
