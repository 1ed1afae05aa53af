package state

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/internal/features"
)

func cyclesOf(letters string) *Cycles {
	var c Cycles
	for i, l := range letters {
		c.Push(features.Hash(l), Ref{Seq: uint64(i + 1)})
	}
	return &c
}

// naivePeriod looks at the whole sequence each time.
func naivePeriod(letters string, shortest, longest, laps int) int {
	for p := shortest; p <= min(longest, MaxPeriod); p++ {
		span := p * laps
		if span > len(letters) {
			continue
		}
		tail := letters[len(letters)-span:]
		below := false
		for d := 1; d < shortest; d++ {
			below = below || repeats(tail, d)
		}
		if repeats(tail, p) && !below {
			return p
		}
	}
	return 0
}

// repeats reports whether every entry equals the one p before.
func repeats(s string, p int) bool {
	for i := p; i < len(s); i++ {
		if s[i] != s[i-p] {
			return false
		}
	}
	return true
}

func TestPeriod(t *testing.T) {
	tests := []struct {
		name              string
		letters           string
		shortest, longest int
		laps, want        int
	}{
		{"nothing yet", "", 1, 8, 2, 0},
		{"one entry twice", "abb", 1, 8, 2, 1},
		{"two in alternation, three laps", "ababab", 2, 6, 3, 2},
		{"two laps are not three", "xabab", 2, 6, 3, 0},
		{"a lap under way is not complete", "ababa", 2, 6, 3, 0},
		{"entered in the middle", "xybabababa", 2, 6, 3, 2},
		{"one entry repeated is no cycle of two", "aaaaaa", 2, 6, 3, 0},
		{"three with a stutter", "abbabbabb", 2, 6, 3, 3},
		{"the shortest wins", "abababababab", 2, 6, 3, 2},
		{"a disturbance ends it", "abababx", 2, 6, 3, 0},
		{"longer than asked for", "abcabcabc", 2, 2, 3, 0},
		{"longer than is told", "abcdefghiabcdefghi", 2, 20, 2, 0},
		{"the longest told", "abcdefghabcdefgh", 2, 20, 2, 8},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := cyclesOf(test.letters).Period(test.shortest, test.longest, test.laps); got != test.want {
				t.Errorf("period of %q: %d, want %d", test.letters, got, test.want)
			}
			if naive := naivePeriod(test.letters, test.shortest, test.longest, test.laps); naive != test.want {
				t.Errorf("the definition gives %d, want %d", naive, test.want)
			}
		})
	}
}

func TestPeriodIsWhatItsDefinitionSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lap := rapid.StringMatching(`[ab]{1,4}|[abc]{1,9}`)
		letters := ""
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			part := lap.Draw(t, "lap")
			for range rapid.IntRange(1, 40/len(part)).Draw(t, "times") {
				letters += part
			}
		}
		shortest := rapid.IntRange(1, 4).Draw(t, "shortest")
		longest := rapid.IntRange(shortest, 10).Draw(t, "longest")
		laps := rapid.IntRange(2, 5).Draw(t, "laps")
		got, want := cyclesOf(letters).Period(shortest, longest, laps), naivePeriod(letters, shortest, longest, laps)
		if got != want {
			t.Fatalf("period of %q in [%d, %d], %d laps: %d, want %d", letters, shortest, longest, laps, got, want)
		}
	})
}

func TestCauseDoesNotDependOnTheEntry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lap := rapid.StringMatching(`[abc]{1,8}`).Draw(t, "lap")
		turned := lap
		for range rapid.IntRange(0, len(lap)).Draw(t, "turns") {
			turned = turned[1:] + turned[:1]
		}
		a, b := cyclesOf(lap+lap).Cause(len(lap)), cyclesOf("xyz"+turned+turned).Cause(len(lap))
		if a != b {
			t.Fatalf("causes of %q and %q differ", lap, turned)
		}
	})
}

func TestCauseTellsCyclesApart(t *testing.T) {
	seen := map[features.Hash]string{}
	for _, lap := range []string{"a", "b", "ab", "ac", "abc", "acb", "aab", "abb", "abab", "aabb"} {
		c := cyclesOf(lap + lap).Cause(len(lap))
		if c == 0 || seen[c] != "" {
			t.Errorf("cause of %q is %d, like that of %q", lap, c, seen[c])
		}
		seen[c] = lap
	}
}

// Far more entries than are kept: the counters go on, the entries are bounded.
func TestCyclesStayBounded(t *testing.T) {
	var c Cycles
	for i := range 1000 {
		c.Push(features.Hash(1+i%3), Ref{Seq: uint64(i)})
	}
	if c.Items.Len() != MaxSteps || c.Period(2, 6, 100) != 3 {
		t.Errorf("%d entries, period %d; want %d and 3", c.Items.Len(), c.Period(2, 6, 100), MaxSteps)
	}
	newest := []uint64{c.Items.Back(0).Ref.Seq, c.Items.Back(MaxSteps - 1).Ref.Seq}
	if want := []uint64{999, 1000 - MaxSteps}; !slices.Equal(newest, want) {
		t.Errorf("newest and oldest are %v, want %v", newest, want)
	}
	c.Clear()
	if c.Items.Len() != 0 || c.Period(1, 8, 2) != 0 {
		t.Error("something is left after Clear")
	}
}
