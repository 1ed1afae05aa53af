package actions

import (
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// weigh books the evidence of the findings on their causes.
func (d *decider) weigh(found []Found) {
	for i := range found {
		f := &found[i]
		if f.Need == 0 || f.Rule.Mode != Enforce {
			continue
		}
		a := d.ledger.Accounts.Put(f.Cause)
		if a.Halves == 0 {
			a.First, a.Round = f.first(), f.Evidence.Since
		}
		a.Halves += f.Weight
	}
}

// book adds the evidence of a finding to an open incident. Several findings of
// one event are one futile step: only the weightiest counts.
func (d *decider) book(f *Found, in *state.Incident) {
	in.Clean = 0
	if !d.policy.Ladder.PerRun || f.Act != detectors.ByLadder {
		in.After += f.Weight
		return
	}
	in.After += max(f.Weight-d.booked, 0)
	d.booked = max(d.booked, f.Weight)
}

// dense reports whether the last steps, with weight more, were mostly futile.
func (d *decider) dense(weight int) bool {
	need := d.policy.Ladder.DensityNeed
	if need == 0 {
		return false
	}
	sum := weight
	for i := 0; i < d.ledger.Density.Len() && i < d.policy.Ladder.DensitySteps-1; i++ {
		sum += int(*d.ledger.Density.Back(i))
	}
	return sum >= need
}

// settle updates what is judged over steps: density, and whether the run has
// recovered.
func (d *decider) settle(found []Found) {
	cur := &d.run.Cur
	if cur.Step.Call.IsZero() || cur.SameRound {
		return
	}
	weight := 0
	for i := range found {
		if f := &found[i]; f.Rule.Mode == Enforce && f.Act == detectors.ByLadder && !f.Slow {
			weight = max(weight, f.Weight)
		}
	}
	d.ledger.Density.Push(uint8(min(weight, 255)))
	if weight > 0 || d.policy.Ladder.Calm == 0 {
		return
	}
	for i := range d.ledger.Incidents {
		in := &d.ledger.Incidents[i]
		need := d.policy.Ladder.Calm
		if in.Slow {
			need *= max(d.policy.Ladder.SlowCalm, 1)
		}
		if in.Clean++; in.Clean >= need && !in.Closed && in.Detector != budgetDetector {
			in.Closed = true
			d.ledger.Accounts.Clear()
			d.ledger.Density.Clear()
		}
	}
}
