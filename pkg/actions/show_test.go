package actions

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loopwatch/loopwatch/pkg/detectors"
)

// checkShow wants that a policy, written out in full, reads back as itself.
func checkShow(t *testing.T, p *Policy) {
	t.Helper()
	shown, err := p.Show()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Parse(shown)
	if err != nil {
		t.Fatalf("what is shown does not parse: %v\n%s", err, shown)
	}
	same := cmp.Options{
		cmpopts.IgnoreFields(Policy{}, "Digest", "YAML"), cmpopts.IgnoreFields(Rule{}, "Spec"),
	}
	if diff := cmp.Diff(p, back, same); diff != "" {
		t.Errorf("shown policy differs (-policy +shown):\n%s\n%s", diff, shown)
	}
	again, err := back.Show()
	if err != nil || !bytes.Equal(shown, again) {
		t.Errorf("showing it again gives other bytes (%v):\n%s\n%s", err, shown, again)
	}
	if lines, err := Diff(p, back); err != nil || len(lines) != 0 {
		t.Errorf("Diff of the same policy = %v, %v", lines, err)
	}
}

func TestShownPoliciesReadBack(t *testing.T) {
	for _, name := range Presets() {
		t.Run(name, func(t *testing.T) {
			p, err := Preset(name)
			if err != nil {
				t.Fatal(err)
			}
			checkShow(t, p)
		})
	}
}

func TestShowLeavesNothingToAPreset(t *testing.T) {
	p, err := Parse([]byte("name: x\nextends: sundry\ntools:\n  \"odd: name\\n\": {polls: false, identity: [], volatile: [yes, \"1\", a b]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	checkShow(t, p)
	shown, err := p.Show()
	if err != nil {
		t.Fatal(err)
	}
	text := string(shown)
	if strings.Contains(text, "extends") {
		t.Errorf("it still extends a preset:\n%s", text)
	}
	for _, name := range names() {
		if !strings.Contains(text, "\n  "+name+":") {
			t.Errorf("detector %s is not shown:\n%s", name, text)
		}
	}
	for _, want := range []string{
		"memory: 4096\n", "next_after: 1\n", "control_ttl: 10m\n", "    mode: off\n",
		"  \"odd: name\\x0a\":\n    polls: false\n    identity: []\n    volatile: [yes, \"1\", \"a b\"]\n    replay: false\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestDiffNamesEveryDifference(t *testing.T) {
	a, errA := Parse([]byte("name: a\nextends: default\ntools: {old: {replay: true}, both: {effect: read}}\n"))
	b, errB := Parse([]byte("name: b\nextends: default\nmemory: 512\nladder: {rungs: [inject]}\ndetectors: {repeat: {occurrence: 4}, cycle: {mode: off}}\ntools: {both: {effect: write}, new: {polls: true}}\n"))
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	got, err := Diff(a, b)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"~ name: a → b",
		"~ memory: 256 → 512",
		"~ ladder.rungs: [inject, halt] → [inject]",
		"~ detectors.cycle.mode: enforce → off",
		"~ detectors.repeat.occurrence: 3 → 4",
		"~ tools.both.effect: read → write",
		"- tools.old.replay: true",
		"+ tools.new.polls: true",
		"+ tools.new.replay: false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Diff (-want +got):\n%s", diff)
	}
}

func TestKeysCoverTheFile(t *testing.T) {
	byPath := map[string]Key{}
	for _, k := range Keys() {
		if k.Doc == "" || k.Type == "" {
			t.Errorf("%s is not described: %+v", k.Path, k)
		}
		byPath[k.Path] = k
	}
	want := []Key{
		{"memory", "whole number", "16..4096", "distinct calls and results remembered of a run, exactly"},
		{"control_ttl", "duration", "1s..24h", "how long a control message stays valid"},
		{"ladder.density.need", "number of steps, sixths allowed", "", "futile steps among them at which to speak; 0 for never"},
		{"tools.NAME.exempt.expires", "date", "", "day from which it no longer holds (00:00 UTC), or an RFC 3339 time"},
	}
	for _, k := range want {
		if diff := cmp.Diff(k, byPath[k.Path]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", k.Path, diff)
		}
	}
}

// The parameters that a policy shows are those of the detector.
func TestShowWritesEveryParameter(t *testing.T) {
	p, err := Preset(DefaultPreset)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := p.Show()
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range detectors.Registry() {
		for _, param := range detectors.Params(spec.New()) {
			if !strings.Contains(string(shown), "    "+param.Name+": ") {
				t.Errorf("%s.%s is not shown", spec.Name, param.Name)
			}
		}
	}
}
