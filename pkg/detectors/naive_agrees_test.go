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

// naiveRule is a detector with its second reading; said is the number they are
// compared by, 0 for silence.
type naiveRule struct {
	name  string
	d     detectors.Detector
	naive func(h history, i int) int
	said  func(f detectors.Finding) int
}

func naiveRules() (rules []naiveRule) {
	count := func(f detectors.Finding) int { return f.Evidence.Count }
	weight := func(f detectors.Finding) int { return f.Weight }
	period := func(f detectors.Finding) (n int) {
		_, rest, _ := strings.Cut(f.Evidence.What, "a cycle of ")
		_, _ = fmt.Sscan(rest, &n)
		return n
	}
	anywhere := detectors.NewRepeat()
	anywhere.Unchanged = false
	for _, d := range []detectors.Repeat{
		{Occurrence: 2, Count: detectors.CountCalls, On: detectors.OnCall}, {Occurrence: 3, Window: 6, Count: detectors.CountCalls, On: detectors.OnCall},
		{Occurrence: 2, Count: detectors.CountRounds, On: detectors.OnCall}, {Occurrence: 2, Window: 6, Count: detectors.CountRounds, On: detectors.OnCall},
	} {
		rules = append(rules, naiveRule{fmt.Sprintf("repeat %+v", d), d, func(h history, i int) int { return h.repeatOnCall(d, i) }, count})
	}
	for _, d := range []detectors.Repeat{detectors.NewRepeat(), anywhere} {
		rules = append(rules, naiveRule{fmt.Sprintf("repeat %+v", d), d, func(h history, i int) int { return h.repeatOnResult(d, i) }, weight})
	}
	for _, d := range []detectors.Cycle{
		{Shortest: 2, Longest: 2, Laps: 2, On: detectors.OnCall}, {Shortest: 2, Longest: 8, Laps: 2, On: detectors.OnCall},
		{Shortest: 3, Longest: 5, Laps: 2, On: detectors.OnCall}, {Shortest: 2, Longest: 8, Laps: 3, On: detectors.OnCall},
	} {
		rules = append(rules, naiveRule{fmt.Sprintf("cycle %+v", d), d, func(h history, i int) int { return h.cycleOnCall(d, i) }, period})
	}
	cycle := detectors.NewCycle()
	rules = append(rules, naiveRule{"cycle on results", cycle, func(h history, i int) int { return h.cycleOnResult(cycle, i) }, period})
	for _, d := range []detectors.Stagnation{{Turns: 2}, {Turns: 2, Patient: true, PollGap: 20}} {
		rules = append(rules, naiveRule{fmt.Sprintf("stagnation %+v", d), d, func(h history, i int) int { return h.stagnation(d, i) }, count})
	}
	return rules
}

// TestNaiveRulesAgree: on random runs the detectors say what a second reading
// of their documentation says, event by event.
func TestNaiveRulesAgree(t *testing.T) {
	rules, fired := naiveRules(), map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		h := plainRun(rt)
		a := state.Applier{Features: features.New(features.Rules{})}
		run := state.NewRun(state.RunID{Tenant: "default", Task: "t1", Run: "r1"}, "agent", 0)
		for i := range h {
			a.Apply(run, &h[i])
			for _, r := range rules {
				got, want := 0, r.naive(h, i)
				if f, ok := r.d.Detect(state.View{Run: run}, &h[i]); ok && run.Cur.Counts {
					got = r.said(f)
				}
				if got != want {
					rt.Fatalf("%s says %d, the naive rule %d, at %d of\n%s", r.name, got, want, i, h[:i+1])
				}
				fired[r.name] += min(want, 1)
			}
		}
	})
	for _, r := range rules {
		if fired[r.name] == 0 {
			t.Errorf("%s never fires: the runs are too tame", r.name)
		}
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
