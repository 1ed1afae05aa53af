package actions

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// The lots are part of what is documented: a task must never change its group.
func TestLotsAreTheSameForEver(t *testing.T) {
	for _, tt := range []struct {
		domain, tenant, task string
		want                 float64
	}{
		{holdoutDomain, "default", "t1", 0.25861208},
		{variantDomain, "default", "t1", 0.68600390},
		{holdoutDomain, "default", "t2", 0.70716095},
		{holdoutDomain, "defaultt", "1", 0.61596535},
	} {
		if got := lot(tt.domain, state.TaskID{Tenant: tt.tenant, Task: tt.task}); math.Abs(got-tt.want) > 1e-8 {
			t.Errorf("%s of %s/%s: %.8f, want %.8f", tt.domain, tt.tenant, tt.task, got, tt.want)
		}
	}
}

// Shares are met, and the group says nothing about the wording.
func TestLotsAreFairAndIndependent(t *testing.T) {
	p := &Policy{Holdout: Holdout{Share: 0.2}, Observation: VariantSplit}
	const tasks = 20_000
	held, second, both := 0, 0, 0
	for i := range tasks {
		id := state.TaskID{Tenant: "default", Task: fmt.Sprintf("t%d", i)}
		h, b := p.Holds(id, "repeat"), p.Wording(id) == VariantB
		if h {
			held++
		}
		if b {
			second++
		}
		if h && b {
			both++
		}
	}
	for _, tt := range []struct {
		what string
		got  int
		want float64
	}{{"held out", held, 0.2}, {"second wording", second, 0.5}, {"both", both, 0.1}} {
		if share := float64(tt.got) / tasks; math.Abs(share-tt.want) > 0.01 {
			t.Errorf("%s: %.3f of the tasks, want %.3f", tt.what, share, tt.want)
		}
	}
}

func TestHolds(t *testing.T) {
	in := state.TaskID{Tenant: "default", Task: "t1"} // its lot is 0.259
	for _, tt := range []struct {
		name     string
		holdout  Holdout
		detector string
		want     bool
	}{
		{"no holdout", Holdout{}, "repeat", false},
		{"everybody", Holdout{Share: 1}, "repeat", true},
		{"never a budget", Holdout{Share: 1}, "budget", false},
		{"a share above the lot", Holdout{Share: 0.26}, "repeat", true},
		{"a share below the lot", Holdout{Share: 0.25}, "repeat", false},
		{"a detector that is named", Holdout{Share: 1, Detectors: []string{"cycle", "repeat"}}, "repeat", true},
		{"a detector that is not named", Holdout{Share: 1, Detectors: []string{"cycle"}}, "repeat", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := (&Policy{Holdout: tt.holdout}).Holds(in, tt.detector); got != tt.want {
				t.Errorf("held out: %v, want %v", got, tt.want)
			}
		})
	}
}

// The presets hold nobody out and write the first wording.
func TestPresetsMakeNoExperiment(t *testing.T) {
	for _, name := range Presets() {
		p, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Holdout.Share != 0 || p.Observation != VariantA {
			t.Errorf("%s: %+v, variant %s", name, p.Holdout, p.Observation)
		}
	}
}

func TestTheSecondWordingReadsWell(t *testing.T) {
	var got []section
	for _, tt := range tellings() {
		if !worded(tt.d) {
			continue
		}
		text := ask(tt.d, story.quote)
		checkObservation(t, tt.title, text)
		if !strings.Contains(text, "report_blocked") || text == observe(tt.d, story.quote) {
			t.Errorf("%s: no way out, or the same as the first wording:\n%s", tt.title, text)
		}
		got = append(got, section{tt.title, text})
	}
	golden(t, "questions.golden", got)
}

// A control says which wording it has where the policy chooses one, and only
// there: under a plain policy nothing changes.
func TestControlsNameTheirWording(t *testing.T) {
	first, second := state.TaskID{Tenant: "default", Task: "t7"}, state.TaskID{Tenant: "default", Task: "t1"}
	for _, tt := range []struct {
		name   string
		policy Variant
		d      Decision
		task   state.TaskID
		want   Variant
	}{
		{"no choice", "", repeated(Inject), second, ""},
		{"the first for all", VariantA, repeated(Inject), second, ""},
		{"the second for all", VariantB, repeated(Inject), first, VariantB},
		{"a half", VariantSplit, repeated(Inject), first, VariantA},
		{"the other half", VariantSplit, repeated(Inject), second, VariantB},
		{"a halt has no wording", VariantB, repeated(HaltRun), first, ""},
		{"an operator's note has one", VariantB, repeated(Inject).with(func(d *Decision) { d.Detector = operatorDetector }), first, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := policy()
			p.Observation = tt.policy
			tt.d.Target.Tenant, tt.d.Target.Task = tt.task.Tenant, tt.task.Task
			c := Render(p, tt.d, story.quote).Control
			if c.Variant != tt.want {
				t.Errorf("variant %q, want %q", c.Variant, tt.want)
			}
			asks := c.Observation != nil && strings.Contains(c.Observation.Content, "one thing that is missing")
			if asks != (tt.want == VariantB) {
				t.Errorf("variant %q says:\n%v", c.Variant, c.Observation)
			}
		})
	}
}
