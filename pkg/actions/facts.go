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

// facts returns the figures a person needs.
func (d *decider) facts(in *state.Incident) Facts {
	u := d.run.Usage
	f := Facts{
		Turns: u.Turns, Calls: u.Calls, CostUSD: u.CostUSD, Unpriced: u.Unpriced, Tokens: u.Tokens(),
		ElapsedMS: d.run.Clock.Elapsed, Observations: d.ledger.Observations,
	}
	if in.Since > 0 && d.run.Cur.Round >= in.Since {
		f.WastedTurns = min(d.run.Cur.Round-in.Since, u.Turns)
	}
	if u.Turns > 0 {
		f.WastedUSD = u.CostUSD * float64(f.WastedTurns) / float64(u.Turns)
	}
	steps := &d.run.Window.Calls
	for i := min(steps.Len(), 3) - 1; i >= 0; i-- {
		f.LastRounds = append(f.LastRounds, steps.Back(i).Call)
	}
	return f
}
