package actions

import (
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
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
		if a.Weight == 0 {
			a.First, a.Round = f.first(), f.Evidence.Since
		}
		a.Weight += f.Weight
	}
}

// book adds the evidence of a finding to an open incident.
func (d *decider) book(f *Found, in *state.Incident) {
	in.Clean = 0
	weight := max(f.Weight-d.inRound(), 0)
	in.After += weight
	if f.Ground == detectors.Acts {
		in.Hard += weight
	}
}

// inRound returns how futile the results of the round before this one were: a
// round is one step, and as futile as the worst of them.
func (d *decider) inRound() int {
	cur, steps := &d.run.Cur, &d.ledger.Density
	if cur.Step.Call.IsZero() || !cur.SameRound || steps.Len() == 0 {
		return 0
	}
	return int(*steps.Back(0))
}

// joins reports whether a finding belongs to the one incident of the run.
func (d *decider) joins(f *Found) bool {
	return d.policy.Ladder.PerRun && f.Act == detectors.ByLadder && f.Rule.Mode != ShadowMode && !d.exempt(f)
}

// lead returns the finding that speaks for all that belong to the incident of
// the run, as several findings of one event are one futile step: the one that is
// nearest to speaking or furthest beyond it, the first of equals. It is -1
// where there is none. Those that are held out have a lead of their own.
func (d *decider) lead(found []Found, held bool) int {
	lead, most := -1, 0
	for i := range found {
		f := &found[i]
		if !d.joins(f) || d.held(f) != held {
			continue
		}
		over := -f.Need
		if a := d.ledger.Accounts.Get(f.Cause); f.Need > 0 && a != nil {
			over += a.Weight
		}
		if lead < 0 || over > most {
			lead, most = i, over
		}
	}
	return lead
}

// second withholds a finding for which another one of the event spoke.
func (d *decider) second(f *Found) {
	in := d.match(f, false)
	switch {
	case d.ledger.Halt.Active():
		d.withhold(f, in, Stopped)
	case in == nil:
		d.withhold(f, nil, Weak)
	default:
		d.withhold(f, in, Cooldown)
	}
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
	futile, acts := false, 0
	for i := range found {
		if f := &found[i]; f.Rule.Mode == Enforce && f.Act == detectors.ByLadder {
			futile = true
			if f.Ground == detectors.Acts {
				acts = max(acts, f.Weight)
			}
		}
	}
	switch {
	case cur.Kind == events.TurnKind && !futile:
		d.heard()
	case cur.Step.Call.IsZero() || d.policy.Ladder.PerRun && cur.Call.Waits:
	case cur.SameRound:
		if steps := &d.ledger.Density; steps.Len() > 0 {
			*steps.Back(0) = max(*steps.Back(0), uint8(min(acts, 255)))
		}
	case !futile && d.weak():
	default:
		d.ledger.Density.Push(uint8(min(acts, 255)))
		if !futile {
			d.calm()
		}
	}
}

// calm counts a clean step and closes what the run has recovered from.
func (d *decider) calm() {
	for i := range d.ledger.Incidents {
		in := &d.ledger.Incidents[i]
		need := d.policy.Ladder.Calm
		if in.Slow && need > 0 {
			need = max(d.policy.Ladder.SlowCalm, need)
		}
		if in.Clean++; need > 0 && in.Clean >= need && !in.Closed && in.Detector != budgetDetector {
			in.Closed = true
			d.ledger.Accounts.Clear()
			d.ledger.Density.Clear()
			d.run.Window.Memo.Forgive()
		}
	}
}

// heard begins anew to count what was only said: the turn said something else.
func (d *decider) heard() {
	in := d.ledger.Open(func(in *state.Incident) bool { return in.Words && !in.Shadow })
	if d.policy.Ladder.PerRun && in != nil {
		in.After = 0
	}
}
