package actions

import (
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// weak books a step that no detector accuses but that is no recovery either: a
// failure, or an answer of lines seen before, while the incident of the run is
// open. It reports whether the step was one.
func (d *decider) weak() bool {
	l, cur := d.policy.Ladder, &d.run.Cur
	if l.Weak == 0 || !l.PerRun || cur.Kind != events.ToolResult || d.ledger.Halt.Active() || !cur.Step.Error && !cur.Familiar {
		return false
	}
	in := d.ledger.Open(func(in *state.Incident) bool { return !in.Shadow && in.Detector != budgetDetector })
	if in == nil {
		return false
	}
	in.Clean = 0
	in.After += l.Weak
	in.Hard += l.Weak
	rule := d.ruleOf(in.Detector)
	if rule == nil || in.After < d.next(in, false) {
		return true
	}
	f := &Found{Rule: rule, Finding: detectors.Finding{
		Detector: in.Detector, Cause: in.Cause, Weight: l.Weak, Slow: in.Slow, Evidence: d.uselessness(in),
	}}
	d.climb(f, in)
	return true
}

// uselessness is the evidence of a weak step.
func (d *decider) uselessness(in *state.Incident) detectors.Evidence {
	s := &d.run.Cur.Step
	x := detectors.Evidence{
		Hash: s.Tool, Count: in.After / detectors.Whole, Since: in.Since,
		Events: []state.Ref{in.First, d.run.Cur.Ref}, Calls: []state.Ref{s.Call}, Answer: s.Answer,
		What: "went on failing or showing what was seen before, after it had been told",
	}
	if t := d.run.Tool(s.Tool); t != nil {
		x.Tool = t.Name
	}
	return x
}

// ruleOf returns the rule of a detector, nil where the policy has none.
func (d *decider) ruleOf(detector string) *Rule {
	for i := range d.policy.Rules {
		if r := &d.policy.Rules[i]; r.Spec.Name == detector {
			return r
		}
	}
	return nil
}
