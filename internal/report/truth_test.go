package report_test

import (
	"math"
	"testing"

	"github.com/loopwatch/loopwatch/internal/report"
	"github.com/loopwatch/loopwatch/internal/stats"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// A fleet of 200 agents whose fates are known, through the real engine: every
// figure of the report is held against the simulation's own truth.
func TestTheTruthOfAFleet(t *testing.T) {
	c, err := report.New(report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := simulate(t, 200, c)
	r := c.Finish()
	if r.Counted.Runs != 200 || r.Counted.Live != 0 {
		t.Errorf("%+v: want 200 runs, all over", r.Counted)
	}
	checkTools(t, f, r.Tools)
	checkInterventions(t, f, r.Interventions)
	checkSavings(t, f, r.Savings)
	checkRates(t, f, r.Rates)
	checkBlocked(t, f, r.Blocked)
}

var wantHint = map[string]string{
	"track_parcel": "unresolved", "get_record": "constraint", "build": "mute", "refund": "capability", "upload": "retryable",
}

func checkTools(t *testing.T, f *fleet, got *report.Tools) {
	t.Helper()
	byName := map[string]report.Tool{}
	for _, tool := range got.Tools {
		byName[tool.Tool] = tool
	}
	for i := range sorts {
		s := &sorts[i]
		runs, repeating, repeats, waste := 0, 0, 0, 0.0
		for _, x := range f.order {
			if x.sort != s {
				continue
			}
			runs++
			repeats += x.repeats
			waste += x.waste
			if x.repeats > 0 {
				repeating++
			}
		}
		g := byName[s.tool]
		if g.Runs != runs || g.Repeating != repeating || g.Repeats != repeats || !near(g.USD, waste) || !near(g.Turns, float64(repeats)) {
			t.Errorf("%s: %d runs, %d repeating, %d repeat events, %v turns, %v USD; in truth %d, %d, %d, %d, %v",
				s.tool, g.Runs, g.Repeating, g.Repeats, g.Turns, g.USD, runs, repeating, repeats, repeats, waste)
		}
		if !s.loops {
			continue
		}
		if len(g.Answers) != 1 || g.Answers[0].Hint != wantHint[s.tool] || g.Answers[0].Repeats != repeats {
			t.Errorf("%s: answers %+v, want one with hint %s", s.tool, g.Answers, wantHint[s.tool])
		} else if x := f.fates[g.Answers[0].Example.Run]; x == nil || x.sort != s {
			t.Errorf("%s: the example %+v is another sort", s.tool, g.Answers[0].Example)
		}
	}
}

// A repetition ended where the agent got out before the ladder's next rung.
func checkInterventions(t *testing.T, f *fleet, got *report.Interventions) {
	t.Helper()
	type sum struct{ runs, ended int }
	truth, held := map[string]sum{}, sum{}
	for _, x := range f.order {
		well := x.status == events.Done || x.status == events.Blocked
		switch {
		case x.told != "":
			s := truth[string(x.told)]
			s.runs++
			if well {
				s.ended++
			}
			truth[string(x.told)] = s
		case x.toldHeld:
			held.runs++
			if x.escapes == soon {
				held.ended++
			}
		}
	}
	seen, left := map[string]sum{}, sum{}
	for _, row := range got.Rows {
		if row.Rung != 1 {
			continue
		}
		s := seen[row.Variant]
		s.runs, s.ended = s.runs+row.Acted.Runs, s.ended+row.Acted.Ended
		seen[row.Variant] = s
		if row.Acted.AtLeast != stats.AtLeast(row.Acted.Ended, row.Acted.Runs) || row.Acted.AtMost != stats.AtMost(row.Acted.Ended, row.Acted.Runs) {
			t.Errorf("%s: bounds of %+v", row.Detector, row.Acted)
		}
		if row.Variant != "b" { // the holdout of a row stands beside both wordings
			left.runs, left.ended = left.runs+row.Holdout.Runs, left.ended+row.Holdout.Ended
		}
	}
	for _, v := range []actions.Variant{actions.VariantA, actions.VariantB} {
		if g, w := seen[string(v)], truth[string(v)]; g != w || w.runs < 10 {
			t.Errorf("wording %s: ended in %d of %d, in truth %d of %d", v, g.ended, g.runs, w.ended, w.runs)
		}
	}
	if left != held || held.runs < 10 || held.ended == held.runs {
		t.Errorf("holdout: ended in %d of %d, in truth %d of %d", left.ended, left.runs, held.ended, held.runs)
	}
}

func checkSavings(t *testing.T, f *fleet, got *report.Savings) {
	t.Helper()
	type sum struct {
		runs, turns int
		usd, tokens float64
	}
	var halted, recovered sum
	own, ended := 0, 0
	for _, x := range f.order {
		var s sum
		for n := x.turns + 1; n <= limit; n++ {
			s.turns++
			s.usd += costOf(n)
			s.tokens += float64(tokensOf(n))
		}
		into := &recovered
		switch well := x.status == events.Done || x.status == events.Blocked; {
		case x.toldHeld:
			own++
			if well {
				ended++
			}
			continue
		case x.stopped == events.Halted: // its budget was spent
			continue
		case x.halted:
			into = &halted
		case x.told == "" || !well:
			continue
		}
		into.runs++
		into.turns += s.turns
		into.usd += s.usd
		into.tokens += s.tokens
	}
	for _, tt := range []struct {
		what string
		got  report.Saved
		want sum
	}{{"halted", got.Halted, halted}, {"recovered", got.Recovered, recovered}} {
		g, w := tt.got, tt.want
		if g.Runs != w.runs || g.Turns != float64(w.turns) || !near(g.USD, w.usd) || !near(g.Tokens, w.tokens) || w.runs < 5 || g.Unpriced+g.Untold > 0 {
			t.Errorf("%s: %+v, in truth %+v", tt.what, g, w)
		}
	}
	if got.Holdout.Runs != own || got.Holdout.Ended != ended {
		t.Errorf("holdout %+v, in truth %d of %d got out by themselves", got.Holdout, ended, own)
	}
	if want := (halted.usd + recovered.usd) * (1 - float64(ended)/float64(own)); !near(got.Discounted.USD, want) {
		t.Errorf("discounted %v USD, want %v", got.Discounted.USD, want)
	}
}

func checkRates(t *testing.T, f *fleet, got *report.Rates) {
	t.Helper()
	fired, closed := map[string]int{}, map[string]int{}
	for _, x := range f.order {
		closed[x.sort.agent]++
		if x.fired {
			fired[x.sort.agent]++
		}
	}
	for _, a := range got.Agents {
		sum := 0
		for _, p := range a.Points {
			sum += p.Closed
		}
		if a.Total.Fired != fired[a.Agent] || a.Total.Closed != closed[a.Agent] || sum != closed[a.Agent] {
			t.Errorf("%s: %+v, in truth %d of %d fired", a.Agent, a.Total, fired[a.Agent], closed[a.Agent])
		}
	}
	if len(got.Agents) != len(closed) || got.Overall.Closed != 200 {
		t.Errorf("%d agents, %+v", len(got.Agents), got.Overall)
	}
}

func checkBlocked(t *testing.T, f *fleet, got *report.Blocked) {
	t.Helper()
	n := 0
	for _, x := range f.order {
		if x.status == events.Blocked {
			n++
		}
	}
	if got.Runs != n || len(got.Groups) != 1 || got.Groups[0].Runs != n || got.Groups[0].Attempted["refund"] != n || n < 5 {
		t.Errorf("blocked %+v, in truth %d runs of one kind", got, n)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(1, math.Abs(b)) }
