package actions

import (
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/state"
)

func TestSummariesReadWell(t *testing.T) {
	stuck := repeated(Escalate).with(func(d *Decision) { d.Status, d.Rung, d.Facts.Observations = "stuck", 2, 1 })
	tests := []struct {
		title string
		d     Decision
	}{
		{"a loop that survived its observation", stuck},
		{"halted without a word before", stuck.with(func(d *Decision) { d.Facts.Observations = 0 })},
		{"no cost was reported, and little happened", stuck.with(func(d *Decision) {
			d.Facts = Facts{Turns: 1, Calls: 1, Unpriced: 1, Observations: 2}
			d.Evidence.Answer = ref(7)
		})},
		{"cents", stuck.with(func(d *Decision) { d.Facts.CostUSD, d.Facts.Unpriced, d.Facts.WastedUSD = 0.0123, 0, 0.0042 })},
		{"a spent budget", stuck.with(func(d *Decision) {
			d.Detector, d.Status = "budget", "halted"
			d.Evidence = detectors.Evidence{What: "has taken 41 of its 40 turns", Since: 41}
		})},
		{"not halted", repeated(Escalate).with(func(d *Decision) {
			d.Detector = "no_progress"
			d.Evidence = detectors.Evidence{What: "has kept the same state for 4 turns in a row", Since: 3}
		})},
		{"a worker that went on", repeated(Escalate).with(func(d *Decision) {
			d.Detector = "halt_ignored"
			d.Evidence = detectors.Evidence{What: "went on after it was halted"}
		})},
		{"a run whose name begins with a dash", stuck.with(func(d *Decision) { d.Target.Run = "-rf" })},
	}
	var got []section
	for _, tt := range tests {
		got = append(got, section{tt.title, Render(&Policy{}, tt.d, story.quote).Summary})
	}
	golden(t, "summaries.golden", got)
}

func TestLines(t *testing.T) {
	tests := []struct {
		name string
		d    Decision
		want string
	}{
		{"a tool", repeated(Inject), "track_parcel has been called twice with the same arguments"},
		{"a tool with a name of its own kind", repeated(Inject).with(func(d *Decision) { d.Evidence.Tool = "rm -rf\n»" }),
			"«rm -rf ›» has been called twice with the same arguments"},
		{"the run", repeated(HaltRun).with(func(d *Decision) { d.Evidence.Tool = "" }), "This run has been called twice with the same arguments"},
		{"no words", repeated(Inject).with(func(d *Decision) { d.Evidence.What = "" }), "track_parcel repeats itself"},
		{"a descendant", repeated(HaltRun).with(func(d *Decision) { d.Facts.From, d.Target.Run = "r1", "child" }),
			"Run r1 was halted, and this one with it: track_parcel has been called twice with the same arguments"},
		{"a parent", repeated(Inject).with(func(d *Decision) { d.Facts.From, d.Target.Run = "r1", "parent" }),
			"Run r1, which works for this one, was halted: track_parcel has been called twice with the same arguments"},
		{"the next attempt", repeated(HaltRun).with(func(d *Decision) { d.Facts.From, d.Target.Run, d.Evidence = "r1", "r2", detectors.Evidence{} }),
			"Run r1 of this task was halted by repeat; resume it first"},
		{"an operator", repeated(HaltRun).with(func(d *Decision) {
			d.Detector, d.Facts.By, d.Note, d.Facts.From = "operator", "anna", "deploy", "r1"
			d.Evidence = detectors.Evidence{What: "was halted by an operator"}
		}), "This run was halted by an operator, «anna»: «deploy»"},
		{"an operator, of another run", repeated(HaltRun).with(func(d *Decision) {
			d.Detector, d.Facts.From, d.Target.Run, d.Evidence = "operator", "r1", "child", detectors.Evidence{}
		}), "Run r1 was halted by an operator"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := line(tt.d); got != tt.want {
				t.Errorf("line = %q, want %q", got, tt.want)
			}
		})
	}
}

// A withheld decision is logged without reading the stream.
func TestWithheldDecisionsNeedNoText(t *testing.T) {
	for _, why := range []Reason{Shadow, Cooldown, Exempt, Spent, Superseded, Finished, Stopped} {
		d := repeated(Inject)
		d.Reason = why
		m := Render(&Policy{Name: "p"}, d, func(r state.Ref) Quote {
			t.Errorf("%s: text of %d was asked for", why, r.Seq)
			return Quote{}
		})
		if !strings.HasPrefix(m.Summary, "track_parcel has been called twice") {
			t.Errorf("%s: summary %q", why, m.Summary)
		}
		if m.ID != "" || m.Observation != nil || !m.Expires.IsZero() {
			t.Errorf("%s: message is a control: %+v", why, m)
		}
	}
}
