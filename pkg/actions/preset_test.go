package actions

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/strictyaml"
	"github.com/loopwatch/loopwatch/pkg/detectors"
)

// shape is what a preset says, without the detectors' parameters.
type shape struct {
	Fold   features.Fold
	Memory int
	Replay Replay
	Ladder Ladder
	Rungs  map[string][]Rung // by detector; nil for the ladder's
}

// The rules are those of the published guards, not those of the code.
func TestPresetsFollowTheirTexts(t *testing.T) {
	tests := []struct {
		name string
		want shape
	}{
		{"sundry", shape{
			Fold: features.Fold{
				LowerStrings: true, UpperFields: []string{"order_id", "item_id", "tracking_number", "seller_id"},
				Collapse: features.CollapseAll, FloatDecimals: 2, Narration: []string{},
			},
			Memory: 4096, Replay: ReplayAll,
			Ladder: Ladder{Rungs: []Rung{RungInject, RungHalt}, Observations: 3, NextAfter: detectors.Whole, SlowFactor: 1, DensitySteps: 8},
			Rungs: map[string][]Rung{
				"cycle": {RungInject}, "repeat": nil, "no_progress": {RungInject, RungEscalate}, "reask": {RungInject, RungEscalate},
			},
		}},
		{"forty-times", shape{
			Fold: features.Fold{UpperFields: []string{}, Narration: []string{}}, Memory: 4096, Replay: ReplayNone,
			Ladder: Ladder{Rungs: []Rung{RungHalt}, NextAfter: detectors.Whole, SlowFactor: 1, DensitySteps: 8},
			Rungs:  map[string][]Rung{"repeat": nil, "stagnation": nil, "budget": nil},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Preset(tt.name)
			if err != nil {
				t.Fatal(err)
			}
			got := shape{p.Fold, p.Memory, p.Replay, p.Ladder, map[string][]Rung{}}
			for _, r := range p.Rules {
				got.Rungs[r.Spec.Name] = r.Rungs
				if r.Mode != Enforce {
					t.Errorf("%s is in mode %s", r.Spec.Name, r.Mode)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("preset (-text +policy):\n%s", diff)
			}
		})
	}
}

func TestPresetParameters(t *testing.T) {
	tests := []struct {
		preset, detector string
		want             detectors.Detector
	}{
		{"sundry", "repeat", detectors.Repeat{Occurrence: 2, Count: detectors.CountCalls, On: detectors.OnCall, PollGap: 20}},
		{"sundry", "cycle", detectors.Cycle{Shortest: 2, Longest: 2, Laps: 2, On: detectors.OnCall, PollGap: 20}},
		{"sundry", "no_progress", detectors.NoProgress{Turns: 3}},
		{"forty-times", "repeat", detectors.Repeat{Occurrence: 3, Window: 6, Count: detectors.CountCalls, On: detectors.OnCall, PollGap: 20}},
		{"forty-times", "budget", detectors.Budget{MaxTurns: 40, MaxCostUSD: 5, MaxWallClockMS: 1_800_000, WarnAt: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.preset+" "+tt.detector, func(t *testing.T) {
			p, err := Preset(tt.preset)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, ruleOf(t, p, tt.detector).Detector); diff != "" {
				t.Errorf("parameters (-text +policy):\n%s", diff)
			}
		})
	}
}

// A fleet that chose nothing is asked by every detector, with the parameters
// that the detectors themselves call default, and is given no bounds.
func TestDefaultAsksEveryDetector(t *testing.T) {
	p, err := Preset(DefaultPreset)
	if err != nil {
		t.Fatal(err)
	}
	off := map[string]bool{"stagnation": true} // reading on and on is no loop
	for _, spec := range detectors.Registry() {
		if off[spec.Name] {
			continue
		}
		r := ruleOf(t, p, spec.Name)
		if diff := cmp.Diff(spec.New(), r.Detector); diff != "" {
			t.Errorf("%s (-New +default.yaml):\n%s", spec.Name, diff)
		}
	}
	b := ruleOf(t, p, "budget").Detector.(detectors.Budget)
	if b.MaxTurns != 0 || b.MaxCostUSD != 0 || b.MaxWallClockMS != 0 || b.MaxTokens != 0 {
		t.Errorf("default sets bounds: %+v", b)
	}
	want := Ladder{
		Rungs: []Rung{RungInject, RungHalt}, PerRun: true, Observations: 3, NextAfter: 3 * detectors.Whole,
		Spread: 4, SlowFactor: 2, Weak: detectors.Whole / 2, Hard: 2 * detectors.Whole, Talk: 10 * detectors.Whole,
		Calm: 4, SlowCalm: 18, DensitySteps: 8, DensityNeed: 3 * detectors.Whole,
	}
	if diff := cmp.Diff(want, p.Ladder); diff != "" {
		t.Errorf("ladder (-study +policy):\n%s", diff)
	}
	if p.Replay != ReplayReads || p.Idle != 24*time.Hour {
		t.Errorf("replay %s, lost after %s", p.Replay, p.Idle)
	}
}

// Nothing in a preset is left to another file, so that each can be read by
// itself.
func TestPresetsSayEverything(t *testing.T) {
	for _, name := range Presets() {
		yaml, ok := PresetYAML(name)
		if !ok {
			t.Fatalf("no preset %s", name)
		}
		doc, root := strictyaml.Open(yaml)
		read := new(document)
		root.Into(read)
		for _, k := range Keys() {
			optional := k.Path == "extends" || strings.HasPrefix(k.Path, "tools")
			if !optional && !doc.Has(k.Path) {
				t.Errorf("%s.yaml does not say %s", name, k.Path)
			}
		}
		for n, r := range read.Detectors {
			for _, p := range detectors.Params(r.instance()) {
				spacing := strings.HasPrefix(p.Name, "poll_gap") && name != DefaultPreset // means nothing where calls are judged
				if !spacing && !doc.Has("detectors."+n+"."+p.Name) {
					t.Errorf("%s.yaml does not say detectors.%s.%s", name, n, p.Name)
				}
			}
		}
	}
}

// Every rule of a preset says where it comes from.
func TestPresetsExplainEveryLine(t *testing.T) {
	for _, name := range Presets() {
		yaml, _ := PresetYAML(name)
		for i, l := range strings.Split(strings.TrimSpace(string(yaml)), "\n") {
			heading := strings.HasSuffix(l, ":") || strings.HasPrefix(l, "name:")
			if !heading && !strings.Contains(l, "#") {
				t.Errorf("%s.yaml:%d has no comment: %s", name, i+1, l)
			}
		}
	}
}

func TestPresetThatIsNone(t *testing.T) {
	if _, err := Preset("fifty"); err == nil || !strings.Contains(err.Error(), "default, forty-times, sundry") {
		t.Errorf("error %v does not name the presets", err)
	}
	if _, ok := PresetYAML("../preset"); ok {
		t.Error("a path is a preset")
	}
}
