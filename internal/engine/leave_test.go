package engine_test

import (
	"testing"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// A halt of a run that was halted for a finding is an answer: it stays so. There
// is no second control, and the same act resumes it as ever.
func TestAnOperatorLeavesARunHalted(t *testing.T) {
	w := newWorld(t, "sundry")
	w.loop("r1")
	if !w.run("r1").Escalated() {
		t.Fatal("the loop is not escalated")
	}
	before := w.run("r1").Ledger.Halt
	if got := acted(w.operate(events.Operator{Action: "halt", Scope: events.Scope{Agent: "support"}, Reason: "freeze", By: "ops"})); len(got) != 0 {
		t.Errorf("a halt of its scope decides %v", got)
	}
	if !w.run("r1").Escalated() {
		t.Error("a halt of its scope answers for the run")
	}
	if got := acted(w.operate(events.Operator{Action: "halt", Scope: scope("r1"), Reason: "hopeless"})); len(got) != 0 {
		t.Errorf("leaving it decides %v", got)
	}
	h := w.run("r1").Ledger.Halt
	if w.run("r1").Escalated() || h.By != "operator" || h.Reason != "hopeless" || h.Control != before.Control || h.EndStatus != before.EndStatus {
		t.Errorf("the halt says %+v", h)
	}
	if a := w.start("r1", "").Answer; a.Decision != actions.RefuseCall {
		t.Errorf("a new start is told %s", a.Decision)
	}
	w.operate(events.Operator{Action: "resume", Scope: events.Scope{Agent: "support"}})
	w.operate(events.Operator{Action: "resume", Scope: scope("r1")})
	if a := w.start("r1", "").Answer; a.Decision != actions.Allow {
		t.Errorf("after the resumption a start is told %s", a.Decision)
	}
}
