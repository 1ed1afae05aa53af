package detectors_test

import (
	"testing"

	"github.com/loopwatch/loopwatch/pkg/detectors"
)

// TestCauses: findings of one loop share their cause, those of two do not.
func TestCauses(t *testing.T) {
	cycle := detectors.NewCycle()
	errs := detectors.SameError{SameTool: 2, Siblings: 2}
	pair := "call a {}\nresult the first answer\ncall b {}\nresult the second answer\n"
	failed := func(tool, n string) string {
		return "call " + tool + " {\"n\":" + n + "}\nerror no such order as number " + n + "\n"
	}
	tests := []struct {
		name, story string
		d           detectors.Detector
		first, last int // findings to compare
		same        bool
	}{
		{"a cycle seen from its other call", pair + pair + pair, cycle, 0, 1, true},
		{"a cycle with other answers", pair + pair + "call a {}\nresult now another one\ncall b {}\nresult now another two\ncall a {}\nresult now another one\ncall b {}\nresult now another two\n", cycle, 0, 1, false},
		{"the same call again", thrice, detectors.NewRepeat(), 0, 1, true},
		{"two calls", "call a {}\nresult not found\ncall a {}\nresult not found\ncall b {}\nresult not found\ncall b {}\nresult not found\n", detectors.NewRepeat(), 0, 1, false},
		{"one error class", failed("a", "1") + failed("a", "2") + failed("a", "3"), errs, 0, 1, true},
		{"an error class before and after a success", failed("a", "1") + failed("a", "2") + "call a {}\nresult fine\n" + failed("a", "3") + failed("a", "4"), errs, 0, 1, false},
		{"one error class of two tools", failed("a", "1") + failed("a", "2") + "call c {}\nresult fine\n" + failed("b", "1") + failed("b", "2"), errs, 0, 1, false},
		{"the record that stands still", "turn {\"state_hash\":\"x\"}\nturn {\"state_hash\":\"x\"}\nturn {\"state_hash\":\"x\"}\n", detectors.NoProgress{Turns: 2}, 0, 1, true},
		{"two records", "turn {\"state_hash\":\"x\"}\nturn {\"state_hash\":\"x\"}\nturn {\"state_hash\":\"y\"}\nturn {\"state_hash\":\"y\"}\n", detectors.NoProgress{Turns: 2}, 0, 1, false},
		{"the same fields in another order", "turn {\"known\":[\"a\",\"b\"],\"asks\":[\"a\",\"b\"]}\nturn {\"asks\":[\"b\",\"a\"]}\n", detectors.NewReask(), 0, 1, true},
		{"other fields", "turn {\"known\":[\"a\",\"b\"],\"asks\":[\"a\",\"b\"]}\nturn {\"asks\":[\"b\"]}\n", detectors.NewReask(), 0, 1, false},
		{"turns without effect", "turn a\nturn b\nturn c\nturn d\n", detectors.Stagnation{Turns: 2}, 0, 1, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, causes := watch(t, tt.d, 0, tt.story)
			if len(causes) <= tt.last {
				t.Fatalf("%d findings, want more than %d", len(causes), tt.last)
			}
			if got := causes[tt.first] == causes[tt.last]; got != tt.same {
				t.Errorf("one cause: %v, want %v", got, tt.same)
			}
		})
	}
}

// TestMemory: what the window has dropped accuses nobody.
func TestMemory(t *testing.T) {
	story := "call a {}\nresult not found here\ncall b {}\nresult 1\ncall c {}\nresult 2\ncall a {}\nresult not found here\n"
	if got, _ := watch(t, detectors.NewRepeat(), 3, story); len(got) != 1 {
		t.Errorf("with room for three calls: %d findings, want 1", len(got))
	}
	if got, _ := watch(t, detectors.NewRepeat(), 2, story); len(got) != 0 {
		t.Errorf("with room for two calls: %v", got)
	}
	onCall := detectors.Repeat{Occurrence: 2, Count: detectors.CountCalls, On: detectors.OnCall}
	if got, _ := watch(t, onCall, 2, story); len(got) != 0 {
		t.Errorf("with room for two calls, on calls: %v", got)
	}
}
