package engine_test

import (
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// A finding of time is the same whatever noticed it: a tick at once, a tick
// late, or the result that came after all.
func TestWhatNoticesSilenceDoesNotMatter(t *testing.T) {
	tests := []struct {
		name   string
		notice func(*world) engine.Result
	}{
		{"a tick at the deadline", func(w *world) engine.Result { return w.tick(15 * time.Minute) }},
		{"a tick much later", func(w *world) engine.Result { return w.tick(3 * time.Hour) }},
		{"the second of two ticks", func(w *world) engine.Result {
			if r := w.tick(15*time.Minute - 2*time.Second); len(r.Decisions) > 0 {
				w.t.Errorf("before the deadline: %v", acted(r))
			}
			return w.tick(time.Second)
		}},
		{"the result", func(w *world) engine.Result {
			w.now = w.now.Add(time.Hour)
			return w.result("r1", 1, `"late"`)
		}},
	}
	var first *actions.Decision
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, "default")
			w.start("r1", "")
			w.call("r1", 1, `{"n":1}`)
			stored := w.now
			res := tt.notice(w)
			same(t, "noticed", acted(res), []string{"r1:escalate:hung_call"})
			if len(res.Decisions) == 0 {
				return
			}
			d := res.Decisions[0]
			if want := stored.Add(15 * time.Minute).UnixMilli(); d.TimeMS != want {
				t.Errorf("stamped with %d, want the deadline %d", d.TimeMS, want)
			}
			if d.CauseID != string(w.run("r1").LastID) && tt.name != "the result" {
				t.Errorf("it carries event %s, want the run's last one", d.CauseID)
			}
			if first == nil {
				first = &d
			} else if d.ID != first.ID || d.CauseID != first.CauseID || d.Cause != first.Cause {
				t.Errorf("it is %s of %s, the first was %s of %s", d.ID, d.CauseID, first.ID, first.CauseID)
			}
			if again := w.tick(20 * time.Hour); len(again.Decisions) > 0 {
				t.Errorf("said again: %v", acted(again))
			}
		})
	}
}

func TestSilenceIsNotHeld(t *testing.T) {
	tests := []struct {
		name string
		do   func(*world)
	}{
		{"against a run that has ended", func(w *world) {
			w.step("r1", events.Event{Kind: events.RunEnd, End: &events.End{Status: events.Cancelled}})
		}},
		{"against a run whose worker began again", func(w *world) { w.start("r1", "") }},
		{"against a run that an operator halted", func(w *world) {
			w.operate(events.Operator{Action: "halt", Scope: events.Scope{Run: "r1"}, By: "ops"})
		}},
		{"against a run that was resumed", func(w *world) {
			w.operate(events.Operator{Action: "halt", Scope: events.Scope{Run: "r1"}, By: "ops"})
			w.tick(time.Hour)
			w.operate(events.Operator{Action: "resume", Scope: events.Scope{Run: "r1"}, By: "ops"})
		}},
		{"once the result is there", func(w *world) { w.result("r1", 1, `"ok"`) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, "default")
			w.start("r1", "")
			w.call("r1", 1, `{"n":1}`)
			tt.do(w)
			for _, d := range w.tick(2 * time.Hour).Decisions {
				if d.Detector == "hung_call" {
					t.Errorf("%s %s: %s", d.Detector, d.Kind, d.Evidence.What)
				}
			}
		})
	}
}
