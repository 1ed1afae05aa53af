package actions

import (
	"time"

	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Texts returns the text of an event that a decision names, the zero Quote
// where it is not to be had.
type Texts func(state.Ref) Quote

// Render completes an acted decision to the control message that is stored,
// signed and sent. It is a pure function: the same decision, policy and texts
// give the same control. texts must not be nil. The caller sets At.
func (p *Policy) Render(d Decision, texts Texts) Control {
	t := time.UnixMilli(d.TimeMS).UTC()
	c := Control{
		V: Version, ID: d.ID, Kind: d.Kind,
		Tenant: d.Target.Tenant, Agent: d.Agent, Task: d.Target.Task, Run: d.Target.Run,
		Time: t, Expires: t.Add(p.Control),
		Detector: d.Detector, Incident: d.Incident, Rung: d.Rung, Reason: d.Reason,
		Evidence: proof(d, texts), Policy: p.Ref(), N: d.N, Cause: cause(d),
	}
	switch d.Kind {
	case Inject:
		c.Observation = &Observation{Role: "system", Content: observe(d, texts)}
		c.Summary = line(d)
	case HaltRun:
		c.EndStatus = &d.Status
		c.Summary = line(d)
	case Escalate:
		c.Summary = brief(d, texts)
	}
	if !d.ReplayOf.IsZero() {
		if of := texts(d.ReplayOf).CallID; of != "" {
			c.Replay = &Replayed{CallID: d.CallID, OfCallID: of}
		}
	}
	return c
}

// Record completes a withheld decision to the record that is logged. It needs
// no text.
func (p *Policy) Record(d Decision) Record {
	return Record{
		V: Version, Tenant: d.Target.Tenant, Agent: d.Agent, Task: d.Target.Task, Run: d.Target.Run,
		Time: time.UnixMilli(d.TimeMS).UTC(), Detector: d.Detector, Kind: d.Kind,
		Incident: d.Incident, Rung: d.Rung, Reason: d.Reason,
		Evidence: proof(d, nil), Summary: line(d), Policy: p.Ref(), Cause: cause(d),
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
		id := ""
		switch {
		case r == d.Cause:
			id = d.CauseID
		case texts != nil:
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
