package detectors_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

func TestRegistry(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range detectors.Registry() {
		if seen[s.Name] {
			t.Errorf("%s is listed twice", s.Name)
		}
		seen[s.Name] = true
		if got, ok := detectors.Lookup(s.Name); !ok || got.Doc != s.Doc {
			t.Errorf("Lookup(%q) finds another one", s.Name)
		}
		if !strings.HasPrefix(s.Doc, "Fires ") || !strings.Contains(s.Doc, "not ") || !strings.HasSuffix(s.Doc, ".") {
			t.Errorf("%s: %q does not say when it fires and when not", s.Name, s.Doc)
		}
		if len(s.Wants) == 0 && !s.Tree && s.Due == nil {
			t.Errorf("%s is asked about nothing", s.Name)
		}
		for _, k := range s.Wants {
			if !k.Known() {
				t.Errorf("%s wants events of kind %q", s.Name, k)
			}
		}
		if err := s.New().Validate(); err != nil {
			t.Errorf("%s: its own parameters: %v", s.Name, err)
		}
		if reflect.TypeOf(s.New()).Kind() != reflect.Struct {
			t.Errorf("%s is no value: two policies could share it", s.Name)
		}
	}
	if _, ok := detectors.Lookup("nobody"); ok {
		t.Error("Lookup finds a detector that is not there")
	}
}

// TestEveryParameterIsDescribed holds the exported fields against their tags.
func TestEveryParameterIsDescribed(t *testing.T) {
	for _, s := range detectors.Registry() {
		d := s.New()
		typ := reflect.TypeOf(d)
		params := detectors.Params(d)
		if len(params) != typ.NumField() {
			t.Errorf("%s has %d fields and %d parameters: state belongs into the window", s.Name, typ.NumField(), len(params))
		}
		seen := map[string]bool{}
		for _, p := range params {
			if p.Doc == "" || strings.HasSuffix(p.Doc, ".") {
				t.Errorf("%s.%s: %q is no clause that describes it", s.Name, p.Name, p.Doc)
			}
			if p.Bound == "" && p.Type != "bool" {
				t.Errorf("%s.%s has no bound", s.Name, p.Name)
			}
			if seen[p.Name] {
				t.Errorf("%s.%s stands twice", s.Name, p.Name)
			}
			seen[p.Name] = true
		}
	}
}

func TestParams(t *testing.T) {
	want := []detectors.Param{
		{Name: "shortest", Type: "int", Default: "2", Bound: "2..8"},
		{Name: "longest", Type: "int", Default: "8", Bound: "2..8"},
		{Name: "laps", Type: "int", Default: "2", Bound: "2..8"},
		{Name: "on", Type: "string", Default: "result", Bound: "call|result"},
		{Name: "poll_gap_seconds", Type: "int", Default: "20", Bound: "0..86400"},
	}
	got := detectors.Params(detectors.NewCycle())
	for i := range got {
		got[i].Doc = ""
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("parameters of cycle (-want +got):\n", d)
	}
	if got := detectors.Params(detectors.NewReask()); len(got) != 0 {
		t.Errorf("reask has parameters: %v", got)
	}
}

func TestValidate(t *testing.T) {
	repeat := func(change func(*detectors.Repeat)) detectors.Detector {
		d := detectors.NewRepeat()
		change(&d)
		return d
	}
	budget := func(change func(*detectors.Budget)) detectors.Detector {
		d := detectors.NewBudget()
		change(&d)
		return d
	}
	tests := []struct {
		name string
		d    detectors.Detector
		want string // all faults, one a line
	}{
		{"the default", detectors.NewRepeat(), ""},
		{"below", repeat(func(d *detectors.Repeat) { d.Occurrence = 1 }), "occurrence: 1 is below 2"},
		{"the least", repeat(func(d *detectors.Repeat) { d.Occurrence = 2 }), ""},
		{"the most", repeat(func(d *detectors.Repeat) { d.Occurrence = 1000 }), ""},
		{"above", repeat(func(d *detectors.Repeat) { d.Occurrence = 1001 }), "occurrence: 1001 is above 1000"},
		{"another word", repeat(func(d *detectors.Repeat) { d.Count = "turns" }), `count: "turns" is none of calls, rounds`},
		{"no word", repeat(func(d *detectors.Repeat) { d.On = "" }), `on: "" is none of call, result`},
		{"all at once", repeat(func(d *detectors.Repeat) { d.Occurrence, d.Count, d.PollGap = 0, "x", -1 }),
			"occurrence: 0 is below 2\ncount: \"x\" is none of calls, rounds\npoll_gap_seconds: -1 is below 0"},
		{"unchanged on calls", repeat(func(d *detectors.Repeat) { d.On = detectors.OnCall }), "unchanged: needs on: result"},
		{"a window on results", repeat(func(d *detectors.Repeat) { d.Window = 6 }), "window: needs on: call"},
		{"a window on calls", repeat(func(d *detectors.Repeat) { d.Window, d.On, d.Unchanged = 6, detectors.OnCall, false }), ""},
		{"more than is looked back on", repeat(func(d *detectors.Repeat) {
			d.Window, d.On, d.Unchanged = state.MaxSteps+1, detectors.OnCall, false
		}), "window: 65 is above 64"},
		{"a cycle that ends before it begins", detectors.Cycle{Shortest: 4, Longest: 3, Laps: 2, On: detectors.OnCall}, "longest: 3 is below shortest, 4"},
		{"a cycle of one", detectors.Cycle{Shortest: 1, Longest: 9, Laps: 1, On: detectors.OnCall},
			"shortest: 1 is below 2\nlongest: 9 is above 8\nlaps: 1 is below 2"},
		{"errors", detectors.SameError{SameTool: 1, Siblings: 0}, "same_tool: 1 is below 2\nsiblings: 0 is below 2"},
		{"stagnation", detectors.Stagnation{Turns: 1}, "turns: 1 is below 2"},
		{"no progress", detectors.NoProgress{Turns: 1001}, "turns: 1001 is above 1000"},
		{"reask", detectors.Reask{}, ""},
		{"no number", budget(func(d *detectors.Budget) { d.MaxCostUSD = math.NaN() }), "max_cost_usd: is not a number"},
		{"without end", budget(func(d *detectors.Budget) { d.MaxCostUSD = math.Inf(1) }), "max_cost_usd: +Inf is above 1000000"},
		{"a share above the whole", budget(func(d *detectors.Budget) { d.WarnAt = 1.01 }), "warn_at: 1.01 is above 1"},
		{"no share", budget(func(d *detectors.Budget) { d.WarnAt = 0 }), "warn_at: 0 is below 0.1"},
		{"a pointer", &detectors.NoProgress{Turns: 1}, "turns: 1 is below 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := tt.d.Validate(); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("faults\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// odd has a bound that nobody can read.
type odd struct {
	N int `yaml:"n" bound:"few..many"`
}

func (odd) Detect(state.View, *events.Event) (f detectors.Finding, ok bool) { return f, false }
func (odd) Validate() error                                                 { return nil }

func TestABoundThatIsNoNumberIsAMistakeOfOurs(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Check accepts the bound few..many")
		}
	}()
	_ = detectors.Check(odd{})
}
