package detectors_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// TestNaiveRulesAgree: on random runs the detectors say what a second reading
// of their documentation says, event by event.
func TestNaiveRulesAgree(t *testing.T) {
	type rule struct {
		name  string
		d     detectors.Detector
		naive func(h history, i int) int
		said  func(f detectors.Finding) int
	}
	count := func(f detectors.Finding) int { return f.Evidence.Count }
	weight := func(f detectors.Finding) int { return f.Weight }
	period := func(f detectors.Finding) (n int) {
		_, rest, _ := strings.Cut(f.Evidence.What, "a cycle of ")
		_, _ = fmt.Sscan(rest, &n)
		return n
	}
	var rules []rule
	onCall := func(name string, d detectors.Repeat) {
		rules = append(rules, rule{"repeat on calls, " + name, d, func(h history, i int) int { return h.repeatOnCall(d, i) }, count})
	}
	onCall("all", detectors.Repeat{Occurrence: 2, Count: detectors.CountCalls, On: detectors.OnCall})
	onCall("the last six", detectors.Repeat{Occurrence: 3, Window: 6, Count: detectors.CountCalls, On: detectors.OnCall})
	onCall("rounds", detectors.Repeat{Occurrence: 2, Count: detectors.CountRounds, On: detectors.OnCall})
	onCall("rounds of the last six", detectors.Repeat{Occurrence: 2, Window: 6, Count: detectors.CountRounds, On: detectors.OnCall})
	anywhere := detectors.NewRepeat()
	anywhere.Unchanged = false
	for name, d := range map[string]detectors.Repeat{"unchanged": detectors.NewRepeat(), "anywhere": anywhere} {
		rules = append(rules, rule{"repeat on results, " + name, d, func(h history, i int) int { return h.repeatOnResult(d, i) }, weight})
	}
	for _, d := range []detectors.Cycle{
		{Shortest: 2, Longest: 2, Laps: 2, On: detectors.OnCall}, {Shortest: 2, Longest: 8, Laps: 2, On: detectors.OnCall},
		{Shortest: 3, Longest: 5, Laps: 2, On: detectors.OnCall}, {Shortest: 2, Longest: 8, Laps: 3, On: detectors.OnCall},
	} {
		rules = append(rules, rule{fmt.Sprintf("cycle on calls, %d to %d, %d laps", d.Shortest, d.Longest, d.Laps), d, func(h history, i int) int { return h.cycleOnCall(d, i) }, period})
	}
	cycle := detectors.NewCycle()
	rules = append(rules, rule{"cycle on results", cycle, func(h history, i int) int { return h.cycleOnResult(cycle, i) }, period})
	patient := detectors.NewStagnation()
	patient.Turns = 2
	for name, d := range map[string]detectors.Stagnation{"stagnation": {Turns: 2}, "stagnation, patient": patient} {
		rules = append(rules, rule{name, d, func(h history, i int) int { return h.stagnation(d, i) }, count})
	}

	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			fired := 0
			rapid.Check(t, func(rt *rapid.T) {
				h := plainRun(rt)
				a := state.Applier{Features: features.New(features.Rules{})}
				run := state.NewRun(state.RunID{Tenant: "default", Task: "t1", Run: "r1"}, "agent", 0)
				for i := range h {
					got, want := 0, r.naive(h, i)
					if a.Apply(run, &h[i]); run.Cur.Counts {
						if f, ok := r.d.Detect(state.View{Run: run}, &h[i]); ok {
							got = r.said(f)
						}
					}
					if got != want {
						rt.Fatalf("at %d of\n%s: says %d, the naive rule %d", i, h[:i+1], got, want)
					}
					if want > 0 {
						fired++
					}
				}
			})
			if fired == 0 {
				t.Error("the rule never fires: the runs are too tame")
			}
		})
	}
}

// String tells a run in lines.
func (h history) String() string {
	var b strings.Builder
	for i, e := range h {
		fmt.Fprintf(&b, "%d %s round %d %s ", i, e.Kind, e.Round, e.Time.Format("15:04:05"))
		switch {
		case e.Call != nil:
			fmt.Fprintf(&b, "%s %s", e.Call.ID, h.key(i))
		case e.Result != nil:
			fmt.Fprintf(&b, "of %s: %.40s replayed %v", e.Result.CallID, h.says(i), e.Result.Replayed)
			if e.Result.Changed != nil {
				fmt.Fprintf(&b, " changed %v", *e.Result.Changed)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
