package actions

import (
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// options returns the run's tools minus those whose repetition is under way:
// the declared ones, or those that were called where none was declared.
func (d *decider) options() []string {
	tired := map[features.Hash]bool{}
	for i := range d.ledger.Incidents {
		if in := &d.ledger.Incidents[i]; !in.Closed {
			tired[in.Tool] = true
		}
	}
	var declared, called []string
	for _, t := range d.run.Tools {
		switch {
		case tired[t.Hash]:
		case t.Declared:
			declared = append(declared, t.Name)
		default:
			called = append(called, t.Name)
		}
	}
	if len(declared) > 0 {
		return declared
	}
	return called
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
	f.Last = lastCalls(&r.Window)
	return f
}

// lastCalls returns the newest calls with what came back, oldest first.
func lastCalls(w *state.Window) []LastCall {
	answers := map[state.Ref]state.Ref{}
	for i := range w.Steps.Len() {
		s := w.Steps.Back(i)
		answers[s.Call] = s.Answer
	}
	var out []LastCall
	for i := min(w.Calls.Len(), 3) - 1; i >= 0; i-- {
		call := w.Calls.Back(i).Call
		out = append(out, LastCall{Call: call, Answer: answers[call]})
	}
	return out
}
