package detectors_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// TestBudgetFigures gives one event to runs that have used what the table
// says.
func TestBudgetFigures(t *testing.T) {
	type said struct {
		Act  detectors.Act
		What string
	}
	usd := func(x float64) events.Limits { return events.Limits{MaxCostUSD: x} }
	tests := []struct {
		name        string
		d           detectors.Budget // WarnAt 0.8 where it is 0
		own, grants events.Limits
		usage       state.Usage
		elapsed     int64
		want        said
	}{
		{name: "no bounds", usage: state.Usage{Turns: 1e6, CostUSD: 1e6, InputTokens: 1e12}, elapsed: 1e12},
		{name: "under the share", own: usd(5), usage: state.Usage{Turns: 1, CostUSD: 3.99}},
		{name: "at the share", own: usd(5), usage: state.Usage{Turns: 1, CostUSD: 4}, want: said{detectors.Warn, "has cost 4.00 of its 5.00 USD"}},
		{name: "at the bound", own: usd(5), usage: state.Usage{Turns: 1, CostUSD: 5}, want: said{detectors.Stop, "has cost 5.00 of its 5.00 USD"}},
		{name: "what operators added counts", own: usd(5), grants: usd(2), usage: state.Usage{Turns: 1, CostUSD: 5}},
		{name: "and has its own end", own: usd(5), grants: usd(2), usage: state.Usage{Turns: 1, CostUSD: 7}, want: said{detectors.Stop, "has cost 7.00 of its 7.00 USD"}},
		{name: "a grant is no bound where there is none", grants: usd(2), usage: state.Usage{Turns: 1, CostUSD: 7}},
		{name: "the policy's bound is smaller", d: detectors.Budget{MaxCostUSD: 4}, own: usd(5), usage: state.Usage{Turns: 1, CostUSD: 4}, want: said{detectors.Stop, "has cost 4.00 of its 4.00 USD"}},
		{name: "the run's bound is smaller", d: detectors.Budget{MaxCostUSD: 6}, own: usd(5), usage: state.Usage{Turns: 1, CostUSD: 5}, want: said{detectors.Stop, "has cost 5.00 of its 5.00 USD"}},
		{name: "the policy's bound alone", d: detectors.Budget{MaxCostUSD: 6}, usage: state.Usage{Turns: 1, CostUSD: 6}, want: said{detectors.Stop, "has cost 6.00 of its 6.00 USD"}},
		{name: "unknown cost is nothing by itself", own: usd(5), usage: state.Usage{Turns: 9, CostUSD: 1, Unpriced: 8}},
		{name: "unknown cost at worst near the bound", d: detectors.Budget{UnknownCostUSD: 1}, own: usd(5), usage: state.Usage{Turns: 5, CostUSD: 1, Unpriced: 3},
			want: said{detectors.Warn, "has cost 1.00 of its 5.00 USD, 4.00 USD at worst with 3 turns that reported no cost"}},
		{name: "unknown cost at worst past the bound informs and does not halt", d: detectors.Budget{UnknownCostUSD: 1}, own: usd(5), usage: state.Usage{Turns: 99, CostUSD: 1, Unpriced: 98},
			want: said{detectors.Inform, "has cost 1.00 of its 5.00 USD, 99.00 USD at worst with 98 turns that reported no cost"}},
		{name: "reported cost halts whatever is unknown", d: detectors.Budget{UnknownCostUSD: 1}, own: usd(5), usage: state.Usage{Turns: 99, CostUSD: 5, Unpriced: 98},
			want: said{detectors.Stop, "has cost 5.00 of its 5.00 USD"}},
		// 6000 tokens cost 3 USD; the next three turns take 4000, 5000 and 6000: 7.50 USD.
		{name: "growth is projected", d: detectors.Budget{ProjectTurns: 3}, own: usd(10.5), usage: state.Usage{Turns: 3, CostUSD: 3, InputTokens: 6000, FirstInput: 1000, LastInput: 3000},
			want: said{detectors.Warn, "has cost 3.00 of its 10.50 USD and at this growth passes it within 3 turns"}},
		{name: "growth that stays below", d: detectors.Budget{ProjectTurns: 3}, own: usd(10.51), usage: state.Usage{Turns: 3, CostUSD: 3, InputTokens: 6000, FirstInput: 1000, LastInput: 3000}},
		{name: "no growth known: the mean", d: detectors.Budget{ProjectTurns: 3}, own: usd(6), usage: state.Usage{Turns: 3, CostUSD: 3},
			want: said{detectors.Warn, "has cost 3.00 of its 6.00 USD and at this growth passes it within 3 turns"}},
		{name: "a shrinking context: the mean", d: detectors.Budget{ProjectTurns: 1}, own: usd(4), usage: state.Usage{Turns: 3, CostUSD: 3, InputTokens: 6000, FirstInput: 3000, LastInput: 1000},
			want: said{detectors.Warn, "has cost 3.00 of its 4.00 USD and at this growth passes it within 1 turn"}},
		{name: "one turn is no growth", d: detectors.Budget{ProjectTurns: 1000}, own: usd(6), usage: state.Usage{Turns: 1, CostUSD: 3}},
		{name: "turns at the share", own: events.Limits{MaxTurns: 40}, usage: state.Usage{Turns: 32}, want: said{detectors.Warn, "has taken 32 of its 40 turns"}},
		{name: "the last turn is allowed", own: events.Limits{MaxTurns: 40}, usage: state.Usage{Turns: 40}, want: said{detectors.Warn, "has taken 40 of its 40 turns"}},
		{name: "the one after is not", own: events.Limits{MaxTurns: 40}, usage: state.Usage{Turns: 41}, want: said{detectors.Stop, "has taken 41 of its 40 turns"}},
		{name: "wall clock", own: events.Limits{MaxWallClockMS: 1_800_000}, elapsed: 1_500_999, want: said{detectors.Warn, "has run for 25m0s of its 30m0s"}},
		{name: "wall clock spent", own: events.Limits{MaxWallClockMS: 1_800_000}, elapsed: 1_800_000, want: said{detectors.Stop, "has run for 30m0s of its 30m0s"}},
		{name: "tokens in and out", own: events.Limits{MaxTokens: 100}, usage: state.Usage{Turns: 1, InputTokens: 50, OutputTokens: 30}, want: said{detectors.Warn, "has used 80 of its 100 tokens"}},
		{name: "the gravest speaks", own: events.Limits{MaxTokens: 100, MaxTurns: 5}, usage: state.Usage{Turns: 4, InputTokens: 100}, want: said{detectors.Stop, "has used 100 of its 100 tokens"}},
		{name: "not before the bound", d: detectors.Budget{WarnAt: 1}, own: usd(5), usage: state.Usage{Turns: 1, CostUSD: 4.99}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := tt.d
			if d.WarnAt == 0 {
				d.WarnAt = 0.8
			}
			if err := d.Validate(); err != nil {
				t.Fatal(err)
			}
			run := state.NewRun(state.RunID{Run: "r1"}, "agent", 0)
			run.Usage, run.Limits, run.Granted, run.Clock.Elapsed = tt.usage, tt.own, tt.grants, tt.elapsed
			run.Cur.Ref = state.Ref{Seq: 7, ID: state.DigestOf("e")}
			f, ok := d.Detect(state.View{Run: run}, &events.Event{Kind: events.TurnKind})
			if ok != (tt.want.What != "") {
				t.Fatalf("found %v: %+v", ok, f)
			}
			if diff := cmp.Diff(tt.want, said{f.Act, f.Evidence.What}); diff != "" {
				t.Error("(-want +got):\n", diff)
			}
		})
	}
}

// TestBudgetSaysEachThingOnce: what an incident led to is not said again, of
// another dimension it is.
func TestBudgetSaysEachThingOnce(t *testing.T) {
	run := state.NewRun(state.RunID{Run: "r1"}, "agent", 0)
	run.Limits = events.Limits{MaxTurns: 10, MaxTokens: 100}
	run.Usage = state.Usage{Turns: 9, InputTokens: 90}
	d, e := detectors.NewBudget(), &events.Event{Kind: events.TurnKind}
	var causes []features.Hash
	for range 2 {
		f, ok := d.Detect(state.View{Run: run}, e)
		if !ok || f.Act != detectors.Warn {
			t.Fatalf("found %v: %+v", ok, f)
		}
		causes = append(causes, f.Cause)
		run.Ledger.Begin(state.Incident{Detector: "budget", Cause: f.Cause, Rung: int(f.Act)})
	}
	if causes[0] == causes[1] {
		t.Error("turns and tokens are one cause")
	}
	if f, ok := d.Detect(state.View{Run: run}, e); ok {
		t.Errorf("said again: %+v", f)
	}
	run.Usage.InputTokens = 100
	if f, ok := d.Detect(state.View{Run: run}, e); !ok || f.Act != detectors.Stop || f.Cause != causes[1] {
		t.Errorf("the bound is reached, and it says %v: %+v", ok, f)
	}
}
