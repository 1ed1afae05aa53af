package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func TestTheSecondCallIsReplayedAndTheThirdHalted(t *testing.T) {
	w := newWorld(t, "sundry")
	if a := w.call("r1", 1, `{"n":1}`).Answer; a.Decision != actions.Allow {
		t.Errorf("first call: %s", a.Decision)
	}
	w.result("r1", 1, `"no scans"`)
	second := w.call("r1", 2, `{"n": 1}`)
	same(t, "second", acted(second), []string{"r1:inject_observation:repeat"})
	if a := second.Answer; a.Decision != actions.ReplayCall || a.Replay.Seq != 2 || a.ReplayOf.Seq != 1 || len(a.Unacked) != 1 {
		t.Errorf("second call is answered %+v", a)
	}
	third := w.call("r1", 3, `{"n":1}`)
	same(t, "third", acted(third), []string{"r1:halt:repeat", "r1:escalate:repeat"})
	if third.Answer.Decision != actions.RefuseCall {
		t.Errorf("third call: %s", third.Answer.Decision)
	}
	if a := w.call("r1", 4, `{"n":9}`).Answer; a.Decision != actions.RefuseCall {
		t.Errorf("a halt must stick: %s", a.Decision)
	}
}

func TestDuplicatesChangeNothing(t *testing.T) {
	w := newWorld(t, "sundry")
	w.call("r1", 1, `{"n":1}`)
	e := events.Event{ID: "twice", Kind: events.ToolCall, Round: 2, Call: &events.Call{ID: "c2", Tool: "other", Args: events.RawJSON(`{}`)}}
	w.step("r1", e)
	w.seqs["r1"]--
	before := state.AppendRun(nil, w.run("r1"))
	res := w.step("r1", e)
	if res.Order != state.Duplicate || len(res.Decisions) != 0 {
		t.Errorf("the same id again is %v with %v", res.Order, acted(res))
	}
	after := w.run("r1")
	if after.Seq.Duplicates != 1 {
		t.Errorf("%d duplicates counted", after.Seq.Duplicates)
	}
	after.Seq.Duplicates = 0
	if !slices.Equal(before, state.AppendRun(nil, after)) {
		t.Error("a duplicate changed the run")
	}
}

func TestAnEndedRunTakesOnlyAStart(t *testing.T) {
	w := newWorld(t, "default")
	w.start("r1", "")
	w.step("r1", events.Event{Kind: events.RunEnd, End: &events.End{Status: events.Done}})
	if r := w.call("r1", 1, `{}`); r.Reject == nil || r.Reject.Reason != events.ReasonRunEnded {
		t.Errorf("a call after the end: %v", r.Reject)
	}
	if r := w.step("r1", events.Event{Kind: events.ControlAck, Ack: &events.Ack{Control: "ctl_x", Outcome: events.Ignored}}); r.Reject != nil {
		t.Errorf("an acknowledgement after the end: %v", r.Reject)
	}
	w.start("r1", "")
	if r := w.call("r1", 1, `{}`); r.Reject != nil || w.run("r1").Phase != state.Live {
		t.Errorf("after a new start: %v", r.Reject)
	}
}

func TestAHaltedChildStopsItsOwnTreeOnly(t *testing.T) {
	w := newWorld(t, "sundry")
	w.start("root", "")
	w.start("kid", "root")
	w.start("grandkid", "kid")
	w.start("sibling", "root")
	same(t, "halt", acted(w.loop("kid")), []string{
		"kid:halt:repeat", "grandkid:halt:repeat", "root:inject_observation:repeat", "kid:escalate:repeat",
	})
	for run, halted := range map[string]bool{"root": false, "kid": true, "grandkid": true, "sibling": false} {
		if got := w.run(run).Ledger.Halt.Active(); got != halted {
			t.Errorf("%s halted: %v", run, got)
		}
	}
	if a := w.start("newborn", "kid").Answer; a.Decision != actions.RefuseCall {
		t.Errorf("a new child of a halted run is told %s at hello", a.Decision)
	}
	if a := w.start("cousin", "root").Answer; a.Decision != actions.Allow {
		t.Errorf("a new child of the living root is told %s at hello", a.Decision)
	}
}

func TestAHaltedRootClosesTheTask(t *testing.T) {
	w := newWorld(t, "sundry")
	w.loop("r1")
	hello := w.start("r2", "")
	if hello.Answer.Decision != actions.RefuseCall || len(hello.Answer.Unacked) != 1 {
		t.Errorf("the next attempt is told %+v", hello.Answer)
	}
	same(t, "hello", acted(hello), []string{"r2:halt:repeat"})
	other := w.step("r3", events.Event{Kind: events.RunStart, Task: "t2", Start: &events.Start{}})
	if other.Answer.Decision != actions.Allow {
		t.Errorf("another task is told %s", other.Answer.Decision)
	}
}

// A halt reaches what lives when it comes, and what begins or comes back later.
// A run that was alive beside a halted root, and connects again, is neither.
func TestWhoMeetsAHalt(t *testing.T) {
	w := newWorld(t, "sundry")
	w.start("r2", "")
	w.start("gone", "")
	w.step("gone", events.Event{Kind: events.RunEnd, End: &events.End{Status: events.Done}})
	w.loop("r1")
	if a := w.start("r2", "").Answer; a.Decision != actions.Allow {
		t.Errorf("a sibling that connects again is told %s", a.Decision)
	}
	if a := w.start("gone", "").Answer; a.Decision != actions.RefuseCall {
		t.Errorf("a sibling that is opened again is told %s", a.Decision)
	}
}

func TestALostRunThatComesBackMeetsAHalt(t *testing.T) {
	w := newWorld(t, "default")
	w.call("r1", 1, `{"n":1}`)
	w.tick(25 * time.Hour)
	w.operate(events.Operator{Action: "halt", Scope: events.Scope{Agent: "support"}})
	same(t, "while it is lost", acted(w.call("other", 1, `{}`)), []string{"other:halt:operator"})
	again := events.Event{ID: "e1", Kind: events.ToolCall, Tenant: "default", Agent: "support", Task: "t1", Run: "r1", Round: 1, Call: &events.Call{ID: "c1", Tool: "track_parcel"}}
	if w.raw(again); w.run("r1").Phase != state.Lost {
		t.Error("the same event again brought the run back")
	}
	back := w.call("r1", 2, `{"n":2}`)
	same(t, "back", acted(back), []string{"r1:halt:operator"})
	if back.Answer.Decision != actions.RefuseCall {
		t.Errorf("its call is answered %s", back.Answer.Decision)
	}
}

func TestPolicyChangesAtItsPlace(t *testing.T) {
	w := newWorld(t, "default")
	w.call("r1", 1, `{"n":1}`)
	w.result("r1", 1, `"no scans"`)
	same(t, "default", acted(w.call("r1", 2, `{"n":1}`)), []string{})
	yaml, _ := actions.PresetYAML("sundry")
	if r := w.raw(events.Event{Kind: events.PolicyChange, Policy: &events.Policy{Name: "sundry", YAML: string(yaml)}}); r.Reject != nil {
		t.Fatal(r.Reject)
	}
	w.call("r2", 1, `{"n":1}`)
	same(t, "sundry", acted(w.call("r2", 2, `{"n":1}`)), []string{"r2:inject_observation:repeat"})
	bad := w.raw(events.Event{Kind: events.PolicyChange, Policy: &events.Policy{Name: "x", YAML: "memory: 3"}})
	if bad.Reject == nil || w.eng.Policy().Name != "sundry" {
		t.Errorf("a bad policy is %v, in force is %s", bad.Reject, w.eng.Policy().Name)
	}
	w.commit()
	w.reopen("default")
	if w.eng.Policy().Name != "sundry" {
		t.Errorf("after a restart %s is in force", w.eng.Policy().Name)
	}
}

func TestEveryEventEndsInOneBucket(t *testing.T) {
	w := newWorld(t, "default")
	w.start("r1", "")
	w.call("r1", 1, `{}`)
	w.seqs["r1"] = 0
	w.call("r1", 2, `{}`) // late
	w.raw(events.Event{ID: "e1", Kind: events.RunStart, Tenant: "default", Agent: "support", Task: "t1", Run: "r1", Start: &events.Start{}})
	w.tick(time.Second)
	w.operate(events.Operator{Action: "dance"})
	c := w.part.Meta.Counts
	if c.Applied != 3 || c.Late != 1 || c.Duplicate != 1 || c.Rejected != 1 || c.Total() != w.n {
		t.Errorf("%d events ended in %+v", w.n, c)
	}
}

// Workers may say that runs are each other's parents.
func TestParentsInARing(t *testing.T) {
	w := newWorld(t, "sundry")
	w.start("a", "b")
	w.start("b", "c")
	w.start("c", "a")
	if a := w.start("d", "a").Answer; a.Decision != actions.Allow {
		t.Errorf("below a ring that lives: %s", a.Decision)
	}
	w.loop("b")
	for _, run := range []string{"a", "b", "c", "d"} {
		if !w.run(run).Ledger.Halt.Active() {
			t.Errorf("%s is below the halted run and lives", run)
		}
	}
	if a := w.start("e", "c").Answer; a.Decision != actions.RefuseCall {
		t.Errorf("below a halted ring: %s", a.Decision)
	}
}

// Only what cannot do harm unexecuted is replayed: declared reads, or tools the
// policy lists. Everything else is allowed, with the observation.
func TestWhatMayBeReplayed(t *testing.T) {
	for _, c := range []struct {
		name, policy string
		effect       events.Effect
		want         actions.Ruling
	}{
		{"a declared read", "replay: reads", events.EffectRead, actions.ReplayCall},
		{"a tool of unknown effect", "replay: reads", events.EffectUnknown, actions.Allow},
		{"a declared write", "replay: reads", events.EffectWrite, actions.Allow},
		{"a listed tool", "replay: listed\ntools: {track_parcel: {replay: true}}", events.EffectUnknown, actions.ReplayCall},
		{"a read that is not listed", "replay: listed", events.EffectRead, actions.Allow},
		{"none", "replay: none", events.EffectRead, actions.Allow},
		{"all", "replay: all", events.EffectWrite, actions.ReplayCall},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "sundry")
			yaml := "name: mine\nextends: sundry\n" + c.policy + "\n"
			if r := w.raw(events.Event{Kind: events.PolicyChange, Policy: &events.Policy{Name: "mine", YAML: yaml}}); r.Reject != nil {
				t.Fatal(r.Reject)
			}
			w.step("r1", events.Event{Kind: events.RunStart, Start: &events.Start{Tools: []events.Tool{{Name: "track_parcel", Effect: c.effect}}}})
			w.call("r1", 1, `{"n":1}`)
			w.result("r1", 1, `"no scans"`)
			second := w.call("r1", 2, `{"n":1}`)
			if second.Answer.Decision != c.want {
				t.Errorf("the second call is answered %s, want %s", second.Answer.Decision, c.want)
			}
			same(t, "observation", acted(second), []string{"r1:inject_observation:repeat"})
		})
	}
}
