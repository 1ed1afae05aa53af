package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/detectors"
)

func TestVariantsDifferInOneParameter(t *testing.T) {
	p, err := actions.Parse([]byte("name: x\ndetectors:\n  repeat: {mode: enforce, occurrence: 2}\n  same_error: {mode: shadow}\n  thrash: {mode: enforce, calls: 32, among: 32}\n"))
	if err != nil {
		t.Fatal(err)
	}
	yaml := p.YAML
	var got []string
	for _, v := range Variants(p) {
		got = append(got, v.Param+"="+v.Value)
		q := v.Apply(p)
		if q == p || cmp.Equal(q.Rules[0].Detector, p.Rules[0].Detector) && cmp.Equal(q.Rules[2].Detector, p.Rules[2].Detector) && q.Ladder.NextAfter == p.Ladder.NextAfter && !strings.HasPrefix(v.Param, "ladder.") {
			t.Errorf("%s changes nothing", v.Param)
		}
	}
	for _, want := range []string{"repeat.occurrence=3", "thrash.calls=29", "ladder.next_after=4"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not tried: %v", want, got)
		}
	}
	for _, never := range []string{"repeat.occurrence=1", "same_error", "thrash.calls=35"} {
		if slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, never) }) {
			t.Errorf("%s is tried: it is out of bounds, or not enforced", never)
		}
	}
	if d := p.Rules[0].Detector.(detectors.Repeat); d.Occurrence != 2 || p.YAML != yaml {
		t.Errorf("the policy itself was changed: %+v", d)
	}
}

// corpus is two sources: in a, loops are three equal calls; in b productive
// runs make three as well, and loops are four.
func corpus(t *testing.T) *Corpus {
	t.Helper()
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	labels := map[string]Label{}
	var b strings.Builder
	run := func(name, source, label string, calls int) {
		labels[name] = Label{Run: name, Source: source, Label: label}
		for i := range 2 * calls {
			body := `"kind":"tool_call","call":{"id":"c","tool":"grep","args":{"q":"x"}}`
			if i%2 == 1 {
				body = `"kind":"tool_result","result":{"call_id":"c","content":"no matches"}`
			}
			fmt.Fprintf(&b, `{"v":1,"id":"%s-%d","run":"%s","seq":%d,"round":%d,"time":"2026-01-05T09:00:%02dZ",%s}`+"\n", name, i, name, i+1, i/2+1, i, body)
		}
	}
	for i := range 3 {
		run(fmt.Sprintf("a-loop-%d", i), "a", Loop, 3)
		run(fmt.Sprintf("b-fine-%d", i), "b", Productive, 3)
		run(fmt.Sprintf("b-loop-%d", i), "b", Loop, 4)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Read(Input{Labels: labels, Files: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestASourceHasNoSayInItsOwnThresholds(t *testing.T) {
	p, err := actions.Parse([]byte("name: x\ndetectors:\n  repeat: {mode: enforce, occurrence: 3}\n"))
	if err != nil {
		t.Fatal(err)
	}
	measured := 0
	s, err := SpreadOf(corpus(t), p, func(n, of int) {
		if measured++; n != measured || n > of {
			t.Errorf("measurement %d of %d is told as the %d.", measured, of, n)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Base.LoopsHinted != 6 || s.Base.ProductiveHinted != 3 {
		t.Errorf("the policy itself: %+v", s.Base)
	}
	if len(s.LeftOut) != 2 {
		t.Fatalf("%d sources are left out", len(s.LeftOut))
	}
	a, b := s.LeftOut[0], s.LeftOut[1]
	if d := cmp.Diff([]string{"repeat.occurrence: 4"}, a.Changed); d != "" || a.Source != "a" || a.Chosen.LoopsHinted != 0 {
		t.Errorf("without a, b chooses four, and misses the loops of a: %+v", a)
	}
	if len(b.Changed) != 0 || b.Chosen.ProductiveHinted != 3 || b.Base.ProductiveHinted != 3 {
		t.Errorf("without b, a keeps three, and flags b's productive runs: %+v", b)
	}
}

func TestReadWantsLabelledRuns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none.jsonl")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(Input{Labels: map[string]Label{"r": {}}, Files: []string{file}}); err == nil || !strings.Contains(err.Error(), "none of the 1 labelled runs") {
		t.Errorf("an empty file: %v", err)
	}
}
