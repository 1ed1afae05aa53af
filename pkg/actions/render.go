package actions

import (
	"time"

	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Texts returns the text of an event that a decision names, the zero Quote
// where it is not to be had.
type Texts func(state.Ref) Quote

// Render completes a decision to the message that is logged and, where it was
// acted on, signed and sent. It is a pure function: the same decision, policy
// and texts give the same message. Texts are asked for decisions acted on only;
// nil stands for no text at all. The caller sets At.
func Render(p *Policy, d Decision, texts Texts) Message {
	if texts == nil || d.Reason != Acted {
		texts = func(state.Ref) Quote { return Quote{} }
	}
	t := time.UnixMilli(d.TimeMS).UTC()
	c := Control{
		V: Version, Kind: d.Kind,
		Tenant: d.Target.Tenant, Agent: d.Agent, Task: d.Target.Task, Run: d.Target.Run, Time: t,
		Detector: d.Detector, Incident: d.Incident, Rung: d.Rung, Reason: d.Reason,
		Evidence: proof(d, texts), Summary: line(d), Policy: p.Ref(), Cause: cause(d),
	}
	if d.Reason == Acted {
		c.ID, c.N, c.Expires = d.ID, d.N, t.Add(p.Control)
		act(&c, p, d, texts)
	}
	return Message{c}
}

// act adds what the control's kind needs.
func act(c *Control, p *Policy, d Decision, texts Texts) {
	switch d.Kind {
	case Inject:
		c.Observation = &Observation{Role: "system", Content: observe(d, texts)}
		if worded(d) && (p.Observation == VariantB || p.Observation == VariantSplit) {
			c.Variant = p.Wording(d.Target.TaskID())
		}
		if c.Variant == VariantB {
			c.Observation.Content = ask(d, texts)
		}
	case HaltRun:
		c.EndStatus = &d.Status
	case Escalate:
		c.Summary = brief(d, texts)
	}
	if d.ReplayOf.IsZero() {
		return
	}
	if of := texts(d.ReplayOf).CallID; of != "" {
		c.Replay = &Replayed{CallID: d.CallID, OfCallID: of}
	}
}

func cause(d Decision) Cause {
	return Cause{Event: d.CauseID, Seq: d.Seq, Round: d.Round, At: Position{Seq: d.Cause.Seq}}
}

// proof names the evidence; an event id that is not known is left out, its
// stream position stays.
func proof(d Decision, texts Texts) Proof {
	e := d.Evidence
	p := Proof{
		Tool: Sanitise(e.Tool, maxTool), Count: e.Count, SinceRound: e.Since,
		Events: []string{}, StreamSeqs: []uint64{},
	}
	refs := e.Events
	if len(refs) == 0 {
		refs = []state.Ref{d.Cause}
	}
	for _, r := range refs[:min(len(refs), detectors.MaxEvents)] {
		id := d.CauseID
		if r != d.Cause {
			id = texts(r).ID
		}
		if id != "" {
			p.Events = append(p.Events, id)
		}
		if r.Seq != 0 {
			p.StreamSeqs = append(p.StreamSeqs, r.Seq)
		}
	}
	return p
}
