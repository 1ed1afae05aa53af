package worker

import (
	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Controls hands out every control the run took, once, after it was obeyed,
// escalations among them; it is closed when the run has let go of the bus.
// Nobody has to read it: what finds the channel full is left out.
func (r *Run) Controls() <-chan actions.Control { return r.controls }

// Observations returns the messages for the next model call, each once, and
// acknowledges them. There are none once the run is over.
func (r *Run) Observations() []actions.Observation {
	r.mu.Lock()
	defer r.mu.Unlock()
	if g := r.guard; g != nil && !r.cfg.Conn.IsConnected() {
		r.obeyGuard(g) // nobody else will say it
	}
	var out []actions.Observation
	for _, c := range r.pending {
		out = append(out, *c.Observation)
		r.ack(c.ID, events.Applied, "")
	}
	r.pending = nil
	return out
}

// subscribe listens for controls and verdicts of this run.
func (r *Run) subscribe() error {
	c := &r.cfg
	for _, s := range []struct {
		subject string
		take    nats.MsgHandler
	}{
		{events.ControlSubject(c.Tenant, c.Agent, c.Run), r.onControl},
		{events.VerdictSubject(c.Tenant, c.Agent, c.Run, "*"), r.onVerdict},
	} {
		sub, err := c.Conn.Subscribe(s.subject, s.take)
		if err != nil {
			return err
		}
		r.subs = append(r.subs, sub)
	}
	return nil
}

// genuine reports whether a message may be believed; it is judged before it is
// parsed.
func (r *Run) genuine(domain string, m *nats.Msg) bool {
	if r.cfg.Trusted.Empty() {
		return true
	}
	err := r.cfg.Trusted.Verify(domain, m.Subject, m.Data, m.Header.Get(actions.SignatureHeader))
	if err != nil {
		r.cfg.Logger.Warn("a message that no trusted key signed is ignored", "subject", m.Subject)
	}
	return err == nil
}

func (r *Run) onControl(m *nats.Msg) {
	if !r.genuine(actions.DomainControl, m) {
		return
	}
	c, err := actions.DecodeControl(m.Data)
	if err != nil {
		r.cfg.Logger.Warn("a control that cannot be read is ignored", "error", err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.obey(c, false)
}

// obey acts on a control, once per id, and acknowledges it. own is one that
// our guard decided just now, by our own clock. The caller holds mu.
func (r *Run) obey(c actions.Control, own bool) {
	if r.released || !r.meant(c) || r.seen[c.ID] {
		return
	}
	r.seen[c.ID] = true
	switch {
	case r.kept.earlier[c.ID] && c.Kind != actions.HaltRun: // a halt holds in every process
		r.ack(c.ID, events.Applied, "by an earlier process")
		return
	case c.Kind == actions.Escalate: // informs people
	case !own && c.Expired(r.serverTime()):
		r.ack(c.ID, events.Expired, "expired at "+c.Expires.String())
		return
	case c.Kind == actions.HaltRun:
		r.stop(c)
	case r.over:
		r.ack(c.ID, events.Ignored, "the run is over")
	default:
		r.pending = append(r.pending, c)
	}
	select {
	case r.controls <- c:
	default:
	}
}

// meant reports whether a control is one to act on, and for this run.
func (r *Run) meant(c actions.Control) bool {
	return c.Reason == actions.Acted && c.Run == r.cfg.Run && c.Tenant == r.cfg.Tenant &&
		c.Task == r.cfg.Task && c.Agent == r.cfg.Agent
}

// stop obeys a halt: nothing more is executed, the halt is acknowledged and
// the run ended with the status it names. The caller holds mu.
func (r *Run) stop(c actions.Control) {
	r.ack(c.ID, events.Applied, "")
	if r.halted != nil {
		return
	}
	r.halted = &HaltedError{Control: c}
	close(r.stopped)
	if r.over {
		return
	}
	status := events.Halted
	if c.EndStatus != nil && *c.EndStatus != "" {
		status = events.Status(*c.EndStatus)
	}
	if _, err := r.say(events.Event{Kind: events.RunEnd, End: &events.End{Status: status, Reason: c.Summary}}, nil); err != nil {
		r.cfg.Logger.Error("the end of a halted run could not be reported", "error", err)
	}
	r.over = true
	r.ignorePending("the run was halted")
	r.sender.finish()
}

// ignorePending acknowledges the observations that no model will see.
func (r *Run) ignorePending(why string) {
	for _, c := range r.pending {
		r.ack(c.ID, events.Ignored, why)
	}
	r.pending = nil
}

// ack reports what was done with a control; a halt that a verdict told without
// one has none.
func (r *Run) ack(control string, outcome events.Outcome, detail string) {
	if control == "" {
		return
	}
	if err := r.kept.note(control); err != nil {
		r.cfg.Logger.Error("a control may be acted on again after a restart", "control", control, "error", err)
	}
	e := events.Event{Kind: events.ControlAck, Ack: &events.Ack{Control: control, Outcome: outcome, Detail: detail}}
	if _, err := r.say(e, nil); err != nil {
		r.cfg.Logger.Error("a control could not be acknowledged", "control", control, "error", err)
	}
}
