package fleet

import (
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

func TestAQuerySelects(t *testing.T) {
	run := func(change func(*state.Run)) *state.Run {
		r := state.NewRun(state.RunID{Tenant: "default", Task: "t5", Run: "r5"}, "support", 16)
		change(r)
		return r
	}
	live := run(func(*state.Run) {})
	ended := run(func(r *state.Run) { r.Phase = state.Ended })
	halted := run(func(r *state.Run) { r.Ledger.Halt.Control = "ctl_1" })
	stopped := run(func(r *state.Run) { r.Ledger.Halt = state.Halt{Control: "ctl_1", Detector: "operator"} })
	behind := func(task string, p int, phase string) query {
		return query{After: &state.RunID{Tenant: "default", Task: task, Run: "r1"}, Partition: p, Phase: phase}
	}
	for _, c := range []struct {
		name string
		q    query
		run  *state.Run
		want bool
	}{
		{"everything", query{}, live, true},
		{"its agent", query{Scope: events.Scope{Agent: "support"}}, live, true},
		{"another agent", query{Scope: events.Scope{Agent: "coder"}}, live, false},
		{"another task", query{Scope: events.Scope{Task: "t6"}}, live, false},
		{"live", query{Phase: "live"}, live, true},
		{"live, but it ended", query{Phase: "live"}, ended, false},
		{"halted", query{Phase: "halted"}, halted, true},
		{"halted, but it is not", query{Phase: "halted"}, live, false},
		{"awaiting a person", query{Phase: "awaiting"}, halted, true},
		{"awaiting, but an operator halted it", query{Phase: "awaiting"}, stopped, false},
		{"awaiting, but it is not halted", query{Phase: "awaiting"}, live, false},
		{"awaiting, a page that begins behind it", behind("t6", 3, "awaiting"), halted, false},
		{"halted by an operator", query{Phase: "halted"}, stopped, true},
		{"halted of another agent", query{Scope: events.Scope{Agent: "coder"}, Phase: "halted"}, halted, false},
		{"a page that begins before it", behind("t4", 3, ""), live, true},
		{"a page that begins behind it", behind("t6", 3, ""), live, false},
		{"a page that begins in an earlier partition", behind("t6", 2, ""), live, true},
		{"a page that begins in a later partition", behind("t4", 4, ""), live, false},
		{"halted, a page that begins before it", behind("t4", 3, "halted"), halted, true},
		{"halted, a page that begins behind it", behind("t6", 3, "halted"), halted, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := selects(c.q, 3, c.run); got != c.want {
				t.Errorf("selected: %v, want %v", got, c.want)
			}
		})
	}
}
