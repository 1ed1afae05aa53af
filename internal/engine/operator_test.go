package engine_test

import (
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

func scope(run string) events.Scope {
	return events.Scope{Tenant: "default", Task: "t1", Run: run}
}

func TestAnOperatorsHaltSticksUntilResumed(t *testing.T) {
	w := newWorld(t, "sundry")
	w.start("r1", "")
	same(t, "halt", acted(w.operate(events.Operator{Action: "halt", Scope: scope("r1"), Reason: "wrong customer", By: "ops"})), []string{"r1:halt:operator"})
	h := w.run("r1").Ledger.Halt
	if h.Reason != "wrong customer" || h.By != "ops" || h.EndStatus != "halted" {
		t.Errorf("the halt says %+v", h)
	}
	if a := w.start("r1", "").Answer; a.Decision != actions.RefuseCall {
		t.Errorf("a new start of the halted run is told %s", a.Decision)
	}
	if a := w.start("r2", "").Answer; a.Decision != actions.RefuseCall {
		t.Errorf("the next attempt of its task is told %s", a.Decision)
	}
	note := w.operate(events.Operator{Action: "resume", Scope: scope("r1"), Note: "use order 4471"})
	same(t, "resume", acted(note), []string{"r1:inject_observation:operator"})
	if note.Decisions[0].Note != "use order 4471" {
		t.Errorf("the note is %q", note.Decisions[0].Note)
	}
	if a := w.start("r1", "").Answer; a.Decision != actions.Allow || len(a.Unacked) != 1 {
		t.Errorf("after the resumption: %+v", a)
	}
	if a := w.start("r3", "").Answer; a.Decision != actions.Allow {
		t.Errorf("a new attempt after the resumption is told %s", a.Decision)
	}
	if !w.run("r2").Ledger.Halt.Active() {
		t.Error("resuming r1 lifted the halt of r2 too")
	}
}

func TestAResumedRunHasAFreshWindow(t *testing.T) {
	w := newWorld(t, "sundry")
	w.loop("r1")
	w.operate(events.Operator{Action: "resume", Scope: scope("r1"), Add: events.Limits{MaxTurns: 5, MaxCostUSD: 2}})
	r := w.run("r1")
	if r.Window.Keys.Len() != 0 || len(r.Ledger.Incidents) != 0 || r.Ledger.Observations != 0 {
		t.Error("the window or the ledger is not fresh")
	}
	if r.Granted.MaxTurns != 5 || r.Granted.MaxCostUSD != 2 {
		t.Errorf("granted %+v", r.Granted)
	}
	if a := w.call("r1", 4, `{"n":1}`).Answer; a.Decision != actions.Allow {
		t.Errorf("the first call after the resumption is told %s", a.Decision)
	}
	same(t, "again", acted(w.call("r1", 5, `{"n":1}`)), []string{"r1:inject_observation:repeat"})
}

func TestHaltsByScope(t *testing.T) {
	w := newWorld(t, "default")
	w.start("r1", "")
	w.start("r2", "")
	w.step("r3", events.Event{Kind: events.RunStart, Task: "t2", Start: &events.Start{}})
	all := events.Scope{Agent: "support"}
	halted := w.operate(events.Operator{Action: "halt", Scope: all, Reason: "bad prompt", For: "2h"})
	if n := len(acted(halted)); n != 3 {
		t.Errorf("%d runs halted: %v", n, acted(halted))
	}
	late := w.step("r4", events.Event{Kind: events.RunStart, Task: "t3", Start: &events.Start{}})
	if late.Answer.Decision != actions.RefuseCall {
		t.Errorf("a run that starts later is told %s", late.Answer.Decision)
	}
	w.tick(2*time.Hour + time.Second)
	free := w.step("r5", events.Event{Kind: events.RunStart, Task: "t4", Start: &events.Start{}})
	if free.Answer.Decision != actions.Allow {
		t.Errorf("after its time a new run is told %s", free.Answer.Decision)
	}
	if !w.run("r1").Ledger.Halt.Active() {
		t.Error("a run that was halted goes on by itself")
	}
}

// One act is one control, however many of a run's children it halts.
func TestAParentIsToldOnceOfOneAct(t *testing.T) {
	w := newWorld(t, "default")
	w.start("root", "")
	w.start("kid1", "root")
	w.start("kid2", "root")
	halt := events.Event{Kind: events.OperatorAct, Operator: &events.Operator{Action: "halt", Scope: events.Scope{Task: "t1"}}}
	told := 0
	for _, a := range acted(w.raw(halt)) {
		if a == "root:inject_observation:operator" {
			told++
		}
	}
	if told > 1 || !w.run("kid1").Ledger.Halt.Active() || !w.run("kid2").Ledger.Halt.Active() {
		t.Errorf("the parent is told %d times", told)
	}
}

func TestLiftingAScopeLiftsWhatItHalted(t *testing.T) {
	w := newWorld(t, "sundry")
	w.loop("looper")
	w.start("other", "")
	w.step("r9", events.Event{Kind: events.RunStart, Task: "t9", Start: &events.Start{}})
	w.operate(events.Operator{Action: "halt", Scope: events.Scope{Tenant: "default"}, Reason: "freeze"})
	w.operate(events.Operator{Action: "resume", Scope: events.Scope{Tenant: "default"}})
	if !w.run("looper").Ledger.Halt.Active() {
		t.Error("lifting the freeze let a looping run go")
	}
	if r := w.part.Run(state.RunID{Tenant: "default", Task: "t9", Run: "r9"}); r.Ledger.Halt.Active() {
		t.Error("the frozen run is still halted")
	}
	if len(w.part.Meta.Halts) != 0 {
		t.Errorf("scopes still halted: %+v", w.part.Meta.Halts)
	}
}

func TestActsThatCannotBeRead(t *testing.T) {
	w := newWorld(t, "default")
	for name, o := range map[string]events.Operator{
		"unknown action": {Action: "pause"},
		"no duration":    {Action: "halt", For: "soon"},
		"negative":       {Action: "halt", For: "-1h"},
	} {
		if r := w.operate(o); r.Reject == nil || r.Reject.Reason != events.ReasonBadValue {
			t.Errorf("%s: %v", name, r.Reject)
		}
	}
}

// Resuming a run by its name outweighs whatever halt stood above it, and no
// halt to come.
func TestAResumedRunIsNotHaltedByWhatStoodBefore(t *testing.T) {
	for _, tt := range []struct {
		name string
		halt func(*world)
	}{
		{"a halt of its agent", func(w *world) {
			w.start("r1", "")
			w.operate(events.Operator{Action: "halt", Scope: events.Scope{Agent: "support"}, Reason: "freeze"})
		}},
		{"the tombstone of another root", func(w *world) {
			w.start("r0", "")
			w.operate(events.Operator{Action: "halt", Scope: scope("r0"), Reason: "stop"})
			w.start("r1", "")
		}},
		{"a halted parent", func(w *world) {
			w.start("r0", "")
			w.start("r1", "r0")
			w.operate(events.Operator{Action: "halt", Scope: scope("r0"), Reason: "stop"})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, "default")
			tt.halt(w)
			if !w.run("r1").Ledger.Halt.Active() {
				t.Fatal("r1 is not halted")
			}
			w.step("r1", events.Event{Kind: events.RunEnd, End: &events.End{Status: events.Halted}})
			w.operate(events.Operator{Action: "resume", Scope: scope("r1")})
			if res := w.start("r1", ""); len(res.Decisions) != 0 || res.Answer.Decision != actions.Allow {
				t.Errorf("its next hello is answered %s, with %v", res.Answer.Decision, acted(res))
			}
			w.commit()
			w.reopen("default")
			w.step("r1", events.Event{Kind: events.RunEnd, End: &events.End{Status: events.Done}})
			if res := w.start("r1", ""); res.Answer.Decision != actions.Allow {
				t.Errorf("after a restart it is answered %s", res.Answer.Decision)
			}
			same(t, "halted anew", acted(w.operate(events.Operator{Action: "halt", Scope: scope("r1"), Reason: "again"})), []string{"r1:halt:operator"})
		})
	}
}

// A result that comes after the resumption, of a call from before it, brings
// nothing into the fresh window.
func TestALateResultIsNoEvidenceAfterAResumption(t *testing.T) {
	w := newWorld(t, "sundry")
	w.call("r1", 1, `{"n":1}`)
	w.operate(events.Operator{Action: "halt", Scope: scope("r1"), Reason: "wait"})
	w.operate(events.Operator{Action: "resume", Scope: scope("r1")})
	w.result("r1", 1, `"no scans"`)
	if res := w.call("r1", 2, `{"n":1}`); len(res.Decisions) != 0 || res.Answer.Decision != actions.Allow {
		t.Errorf("the first call after it: %v, %s", acted(res), res.Answer.Decision)
	}
	w.result("r1", 2, `"no scans"`)
	same(t, "the second", acted(w.call("r1", 3, `{"n":1}`)), []string{"r1:inject_observation:repeat"})
}

// What a run does past a halt that it inherited counts from its own hello.
func TestAnInheritedHaltIsIgnoredFromItsOwnPlace(t *testing.T) {
	w := newWorld(t, "sundry")
	w.start("r0", "")
	for round := 1; round <= 5; round++ {
		w.step("r0", events.Event{Kind: events.TurnKind, Round: round, Turn: &events.Turn{Text: "on"}})
	}
	w.operate(events.Operator{Action: "halt", Scope: scope("r0"), Reason: "stop"})
	same(t, "hello", acted(w.start("r1", "")), []string{"r1:halt:operator"})
	turn := w.step("r1", events.Event{Kind: events.TurnKind, Round: 1, Turn: &events.Turn{Text: "all the same"}})
	same(t, "its first turn", acted(turn), []string{"r1:escalate:halt_ignored"})
}
