package bench

import (
	"errors"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestMedianAndQuantile(t *testing.T) {
	for _, tt := range []struct {
		name              string
		values            []float64
		middle, ninetieth float64
	}{
		{"none", nil, 0, 0},
		{"one", []float64{3}, 3, 3},
		{"an even number", []float64{4, 1, 3, 2}, 2.5, 4},
		{"an odd number", []float64{9, 1, 5}, 5, 9},
		{"ten", []float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 5.5, 10},
	} {
		if m, q := median(tt.values), quantile(tt.values, 0.9); m != tt.middle || q != tt.ninetieth {
			t.Errorf("%s: %v and %v, want %v and %v", tt.name, m, q, tt.middle, tt.ninetieth)
		}
	}
}

// A ratio of mostly disturbed rounds is none.
func TestDisturbedRoundsAreRefused(t *testing.T) {
	for _, tt := range []struct {
		used, rounds int
		fine         bool
	}{{5, 5, true}, {3, 5, true}, {2, 5, false}, {2, 4, true}, {0, 0, false}, {0, 1, false}} {
		r := NewReport(Config{Rounds: tt.rounds})
		err := r.used("pipeline", tt.used, tt.rounds)
		if (err == nil) != tt.fine || err != nil && (!errors.Is(err, ErrDisturbed) || !strings.Contains(err.Error(), "--noise")) {
			t.Errorf("%d of %d rounds: %v", tt.used, tt.rounds, err)
		}
		if r.Used["pipeline"] != tt.used {
			t.Errorf("%d rounds are told, want %d", r.Used["pipeline"], tt.used)
		}
	}
}

func TestReportIsPrinted(t *testing.T) {
	r := NewReport(Config{Rounds: 5, Seed: 7})
	r.Ratio["pipeline"], r.Figures["heap_per_run_full"] = 0.5, 4096
	var b strings.Builder
	r.Print(&b)
	for _, want := range []string{"5 rounds, seed 7", "ratio", "pipeline", "0.5", "heap_per_run_full", "4096"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// The rules that look at the whole history find what they are there for.
func TestHistoryRules(t *testing.T) {
	call := func(args, content string, failed bool) []events.Event {
		e := []events.Event{{Call: &events.Call{Args: events.RawJSON(args)}}, {Result: &events.Result{Content: events.RawJSON(content)}}}
		if failed {
			e[1].Result.Error = &events.Error{}
		}
		return e
	}
	times := func(n int, steps ...[]events.Event) (h history) {
		for i := range n {
			h = append(h, steps[i%len(steps)]...)
		}
		return h
	}
	said := func(s string) []events.Event { return []events.Event{{Turn: &events.Turn{Text: s}}} }
	user := []events.Event{{Message: &events.Message{Role: "user", Text: "go on"}}}
	for name, tt := range map[string]struct {
		h    history
		want bool
	}{
		"nothing":                       {nil, false},
		"three times the same":          {times(3, call("1", "2", false)), false},
		"four times the same":           {times(4, call("1", "2", false)), true},
		"four times with other answers": {times(4, call("1", "2", false), call("1", "3", false)), false},
		"three times with an error":     {times(3, call("1", "2", true), call("1", "3", true)), true},
		"two in turn, twice":            {times(4, call("1", "2", false), call("3", "4", false)), false},
		"two in turn, three times":      {times(6, call("1", "2", false), call("3", "4", false)), true},
		"the same words":                {times(3, said("hm")), true},
		"the user between":              {times(5, said("hm"), user), true},
		"other words":                   {times(3, said("hm"), said("ah")), false},
	} {
		if got := tt.h.stuck(); got != tt.want {
			t.Errorf("%s: stuck is %v", name, got)
		}
	}
}

func TestMemoryIsMeasured(t *testing.T) {
	r := NewReport(Config{})
	if err := Memory(t.Context(), Config{Seed: 1, Runs: 5, Tell: func(string, ...any) {}}, r); err != nil {
		t.Fatal(err)
	}
	few, full := r.Figures["heap_per_run_20_calls"], r.Figures["heap_per_run_full"]
	if few < 1000 || full < few {
		t.Errorf("a run takes %.0f bytes at first and %.0f when it is full", few, full)
	}
}

func TestGrowthIsMeasured(t *testing.T) {
	n := 0
	sum := 0
	got, err := growth(1, 300, [2]int{50, 300}, 25, func(*events.Event) error {
		n++
		for i := range n * 1000 { // costs more and more
			sum += i
		}
		return nil
	})
	if err != nil || n < 800 || sum == 0 {
		t.Fatalf("%d events (%v)", n, err)
	}
	if got < 1 {
		t.Errorf("what costs more and more grows by %.2f", got)
	}
}
