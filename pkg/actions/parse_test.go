package actions

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// All faults of a file come at once, each with its line, path, value and bound.
func TestParseReportsEveryFaultAtOnce(t *testing.T) {
	_, err := Parse([]byte(`name: "no spaces here"
extends: defolt
memory: 15
replays: all
identity:
  collapse: some
  float_decimals: 2.5
  upper_fields: order_id
ladder:
  rungs: [halt, inject, inject]
  next_after: 1.3
  density: {steps: 65, need: 9}
control_ttl: 10
lost_after: 10s
detectors:
  repeat: {occurrence: 1, mode: on, window: 3}
  repeats: {mode: off}
  cycle: {longest: 3, shortest: 4, laps: true}
  budget: {max_cost_usd: -1, rungs: []}
memory: 64
holdout: {share: 1.5, detectors: [budget, repeet, repeat, repeat]}
observation: {variant: c}
tools:
  search:
    effect: reads
    polls: yes
    exempt: {owner: "", detectors: [repeet]}
  broken:
`))
	var faults Faults
	if !errors.As(err, &faults) {
		t.Fatalf("error %v is no Faults", err)
	}
	want := `line 1: name: want 1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit
line 2: extends: "defolt" is no preset; there are default, forty-times, sundry
line 3: memory: 15 is below 16
line 4: replays: is not a known key; did you mean replay?
line 6: identity.collapse: "some" is none of single_line, all
line 7: identity.float_decimals: want a whole number, got 2.5
line 8: identity.upper_fields: want a list, got the text "order_id"
line 10: ladder.rungs[0]: halt must be the last rung
line 10: ladder.rungs[2]: inject occurs twice
line 11: ladder.next_after: 1.3 is no multiple of a sixth, such as 0.33, 0.5 or 0.67
line 12: ladder.density.steps: 65 is above 64
line 12: ladder.density.need: 9 is above the steps judged, 8
line 13: control_ttl: want a duration such as 90s or 10m, got 10
line 14: lost_after: 10s is below 1m
line 16: detectors.repeat.occurrence: 1 is below 2
line 16: detectors.repeat.mode: "on" is none of off, shadow, enforce
line 16: detectors.repeat.window: needs on: call
line 17: detectors.repeats: is not a known detector; there are ` + strings.Join(names(), ", ") + `
line 18: detectors.cycle.longest: 3 is below shortest, 4
line 18: detectors.cycle.laps: want a whole number, got true
line 19: detectors.budget.max_cost_usd: -1 is below 0
line 19: detectors.budget.rungs: is empty; use mode: off or mode: shadow instead
line 20: memory: occurs twice, first in line 3
line 21: holdout.share: 1.5 is above 1
line 21: holdout.detectors[0]: budget is never held out
line 21: holdout.detectors[1]: "repeet" is not a known detector; there are ` + strings.Join(names(), ", ") + `
line 21: holdout.detectors[3]: repeat occurs twice
line 22: observation.variant: "c" is none of a, b, split
line 25: tools.search.effect: "reads" is none of read, write, unknown
line 26: tools.search.polls: want true or false, got the text "yes"
line 27: tools.search.exempt.expires: is missing; an exemption ends on a day such as 2027-01-31
line 27: tools.search.exempt.reason: is missing; an exemption says why
line 27: tools.search.exempt.owner: is missing; an exemption names who answers for it
line 27: tools.search.exempt.detectors[0]: "repeet" is not a known detector; there are ` + strings.Join(names(), ", ") + `
line 28: tools.broken: has no value, want keys and values`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if first := faults.In("fleet.yaml").Error(); !strings.HasPrefix(first, "fleet.yaml:1: name: ") {
		t.Errorf("faults do not carry their file: %s", first)
	}
}

func TestParseRefusesWhatIsNoPolicy(t *testing.T) {
	tests := []struct{ name, yaml, want string }{
		{"nothing", "", "line 1: is empty"},
		{"a comment", "# later\n", "line 1: is empty"},
		{"a list", "- name: x\n", "line 1: want keys and values, got a list"},
		{"no YAML", "name: 'x\n", "line 1: is not YAML: "},
		{"no name", "memory: 64\n", "name: want 1 to 64"},
		{"a name with an @", "name: a@b\n", "line 1: name: want 1 to 64"},
		{"two documents", "name: x\n---\nname: y\n", "line 3: a second document begins here"},
		{"an alias", "name: &n x\n", "line 1: name: want text; anchors, aliases and tags are not read here"},
		{"a merge", "name: x\n<<: {memory: 64}\n", "want a plain key"},
		{"not UTF-8", "name: \xff\n", "line 1: is not UTF-8"},
		{"too large", "name: x\n#" + strings.Repeat("x", 64<<10), "are above 65536"},
		{"too deep", "name: " + strings.Repeat("[", 100), "is nested deeper than 16"},
		{"a tool without a name", "name: x\ntools: {\"\": {replay: true}}\n", "want a name of 1 to 256 bytes"},
		{"an exemption that ends some day", "name: x\ntools: {a: {exempt: {owner: o, reason: r, expires: soon}}}\n", `"soon" is no date such as 2027-01-31`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Parse([]byte(tt.yaml))
			if p != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse = %v, error %v, want one with %q", p, err, tt.want)
			}
		})
	}
}

func TestParseReadsEverything(t *testing.T) {
	yes := true
	p, err := Parse([]byte(`
name: fleet-7
extends: default
memory: 512
identity: {lower_strings: true, upper_fields: [sku], collapse: all, float_decimals: 3, narration: []}
replay: listed
ladder: {rungs: [inject, escalate, halt], incidents: cause, observations: 2, next_after: 1.5, spread: 5, slow_factor: 3, weak: 0.33, hard: 1, talk: 8.67, calm: 4, slow_calm: 7, density: {steps: 10, need: 2.5}}
control_ttl: 1m
lost_after: 1h30m
resend_after: 5s
holdout: {share: 0.25, detectors: [repeat, cycle]}
observation: {variant: split}
detectors:
  repeat: {mode: shadow, occurrence: 4}
  cycle: {rungs: [escalate]}
  stagnation: {mode: off}
tools:
  search: {effect: read, polls: true, identity: [q], volatile: [took], replay: true, exempt: {owner: anna, reason: index rebuild, expires: 2027-01-31, detectors: [repeat, cycle]}}
  pay: {effect: write, exempt: {owner: ben, reason: "two people, one account", expires: 2027-01-31T12:00:00+02:00}}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := Policy{
		Name: "fleet-7", Memory: 512, Replay: ReplayListed, Control: time.Minute, Idle: 90 * time.Minute, Resend: 5 * time.Second,
		Holdout: Holdout{Share: 0.25, Detectors: []string{"repeat", "cycle"}}, Observation: VariantSplit,
		Fold: features.Fold{LowerStrings: true, UpperFields: []string{"sku"}, Collapse: features.CollapseAll, FloatDecimals: 3, Narration: []string{}},
		Ladder: Ladder{
			Rungs: []Rung{RungInject, RungEscalate, RungHalt}, Observations: 2, NextAfter: 9, Spread: 5,
			SlowFactor: 3, Weak: 2, Hard: 6, Talk: 52, Calm: 4, SlowCalm: 7, DensitySteps: 10, DensityNeed: 15,
		},
		Tools: map[string]Tool{
			"search": {Effect: events.EffectRead, Polls: &yes, Identity: []string{"q"}, Volatile: []string{"took"}, Replay: true,
				Exempt: &Exemption{Owner: "anna", Reason: "index rebuild", Expires: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC), Detectors: []string{"repeat", "cycle"}}},
			"pay": {Effect: events.EffectWrite,
				Exempt: &Exemption{Owner: "ben", Reason: "two people, one account", Expires: time.Date(2027, 1, 31, 10, 0, 0, 0, time.UTC)}},
		},
		Digest: p.Digest, YAML: p.YAML, Rules: p.Rules,
	}
	if diff := cmp.Diff(&want, p, cmpopts.IgnoreFields(Rule{}, "Spec")); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
	if r := ruleOf(t, p, "repeat"); r.Mode != ShadowMode || r.Detector.(detectors.Repeat).Occurrence != 4 || r.Detector.(detectors.Repeat).On != detectors.OnResult {
		t.Errorf("repeat is %+v: what the file does not say is not as in default", r)
	}
	if r := ruleOf(t, p, "cycle"); r.Mode != Enforce || !cmp.Equal(r.Rungs, []Rung{RungEscalate}) {
		t.Errorf("cycle is %+v", r)
	}
	for _, r := range p.Rules {
		if r.Spec.Name == "stagnation" {
			t.Error("a detector that is off is asked")
		}
	}
}

// ruleOf returns the rule of a detector.
func ruleOf(t *testing.T, p *Policy, name string) Rule {
	t.Helper()
	for _, r := range p.Rules {
		if r.Spec.Name == name {
			return r
		}
	}
	t.Fatalf("policy %s does not ask %s", p.Name, name)
	return Rule{}
}

func TestDetectorsAFileDoesNotMentionAreOff(t *testing.T) {
	p, err := Parse([]byte("name: x\ndetectors: {reask: {}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Rules) != 1 || p.Rules[0].Spec.Name != "reask" || p.Rules[0].Mode != Enforce {
		t.Errorf("rules are %+v", p.Rules)
	}
	if p.Memory != 256 || p.Control != 10*time.Minute || len(p.Tools) != 0 {
		t.Errorf("the rest is not as in default: %+v", p)
	}
}

func TestDigestIsOfTheBytes(t *testing.T) {
	a, errA := Parse([]byte("name: x\n"))
	b, errB := Parse([]byte("name: x\n# the same, said otherwise\n"))
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if a.Digest == b.Digest || len(a.Digest) != 64 {
		t.Errorf("digests %s and %s", a.Digest, b.Digest)
	}
	if want := "x@" + a.Digest[:8]; a.Ref() != want {
		t.Errorf("Ref = %s, want %s", a.Ref(), want)
	}
}

func TestLoad(t *testing.T) {
	gone := errors.New("no such file")
	read := func(name string) ([]byte, error) {
		switch name {
		case "good.yaml":
			return []byte("name: good\n"), nil
		case "bad.yaml":
			return []byte("name: bad\nmemory: 1\n"), nil
		}
		return nil, fmt.Errorf("open %s: %w", name, gone)
	}
	if p, err := Load("good.yaml", read); err != nil || p.Name != "good" {
		t.Errorf("good.yaml: %v, %v", p, err)
	}
	if p, err := Load("sundry", read); err != nil || p.Name != "sundry" {
		t.Errorf("sundry: %v, %v", p, err)
	}
	if _, err := Load("bad.yaml", read); err == nil || err.Error() != "bad.yaml:2: memory: 1 is below 16" {
		t.Errorf("bad.yaml: %v", err)
	}
	if _, err := Load("none.yaml", read); !errors.Is(err, gone) {
		t.Errorf("none.yaml: %v", err)
	}
}

// What parses can be shown, and what is shown parses to the same policy.
func FuzzParse(f *testing.F) {
	for _, name := range Presets() {
		yaml, _ := PresetYAML(name)
		f.Add(yaml)
	}
	f.Add([]byte("name: x\nextends: sundry\ntools: {\"a b\": {polls: false, identity: [\"\"]}}\n"))
	f.Add([]byte("name: x\nladder: {next_after: .5}\ndetectors: {budget: {warn_at: 5e-1}}\n"))
	f.Fuzz(func(t *testing.T, yaml []byte) {
		p, err := Parse(yaml)
		if err != nil {
			if !errors.As(err, new(Faults)) {
				t.Fatalf("error %v is no Faults", err)
			}
			return
		}
		checkShow(t, p)
	})
}
