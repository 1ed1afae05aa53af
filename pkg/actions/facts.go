package actions

import (
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// options returns the run's tools minus those whose repetition is under way.
func (d *decider) options() []string {
	tired := map[features.Hash]bool{}
	for i := range d.ledger.Incidents {
		if in := &d.ledger.Incidents[i]; !in.Closed {
			tired[in.Tool] = true
		}
	}
	var out []string
	for _, t := range d.run.Tools {
		if !tired[t.Hash] {
			out = append(out, t.Name)
		}
	}
	return out
}

// FactsOf returns the figures of a run that a person needs. Turns from the
// round since on count as wasted; 0 means none.
func FactsOf(r *state.Run, since int) Facts {
	u := r.Usage
	f := Facts{
		Turns: u.Turns, Calls: u.Calls, CostUSD: u.CostUSD, Unpriced: u.Unpriced, Tokens: u.Tokens(),
		ElapsedMS: r.Clock.Elapsed, Observations: r.Ledger.Observations,
	}
	if since > 0 && r.Cur.Round >= since {
		f.WastedTurns = min(r.Cur.Round-since, u.Turns)
	}
	if u.Turns > 0 {
		f.WastedUSD = u.CostUSD * float64(f.WastedTurns) / float64(u.Turns)
	}
	calls := &r.Window.Calls
	for i := min(calls.Len(), 3) - 1; i >= 0; i-- {
		f.LastRounds = append(f.LastRounds, calls.Back(i).Call)
	}
	return f
}
