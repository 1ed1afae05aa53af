package eval

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	first := []Verdict{
		{Run: "a", Label: Loop, Hinted: true, Detector: "repeat"},
		{Run: "b", Label: Productive},
		{Run: "c", Label: Loop, Hinted: true, Halted: true, Deserves: true, Detector: "cycle"},
		{Run: "d", Label: Borderline, Hinted: true, Detector: "stale"},
		{Run: "e", Label: Loop, Hinted: true, Detector: "stale"},
		{Run: "only in the first", Label: Loop},
	}
	second := []Verdict{
		{Run: "a", Label: Loop},
		{Run: "b", Label: Productive, Hinted: true, Halted: true, Detector: "repeat"},
		{Run: "c", Label: Loop, Hinted: true, Deserves: true, Detector: "cycle"},
		{Run: "d", Label: Borderline},
		{Run: "e", Label: Loop, Hinted: true, Detector: "stale"},
	}
	want := []Difference{
		{Name: "a", Label: Loop, First: "hinted by repeat", Second: "silent", Better: "first"},
		{Name: "b", Label: Productive, First: "silent", Second: "halted, first by repeat", Better: "first"},
		{Name: "c", Label: Loop, First: "halted, first by cycle", Second: "hinted by cycle", Better: "first"},
		{Name: "d", Label: Borderline, First: "hinted by stale", Second: "silent"},
	}
	if d := cmp.Diff(want, Compare(first, second)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for i := range want {
		want[i].First, want[i].Second = want[i].Second, want[i].First
		if want[i].Better == "first" {
			want[i].Better = "second"
		}
	}
	if d := cmp.Diff(want, Compare(second, first)); d != "" {
		t.Errorf("the other way round (-want +got):\n%s", d)
	}
}

func TestCompareCases(t *testing.T) {
	got := CompareCases(
		[]Outcome{{Case: "x", Right: true, Did: []string{"repeat:halt", "repeat:escalate"}}, {Case: "y", Right: true}, {Case: "z"}},
		[]Outcome{{Case: "x"}, {Case: "y", Right: true}, {Case: "z", Right: true, Did: []string{"cycle:inject_observation"}}},
	)
	want := []Difference{
		{Name: "x", First: "repeat:halt repeat:escalate", Second: "silent", Better: "first"},
		{Name: "z", First: "silent", Second: "cycle:inject_observation", Better: "second"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
