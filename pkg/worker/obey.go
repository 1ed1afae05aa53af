package worker

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Controls hands out every control the run took, once, after it was obeyed.
// Nobody has to read it: what finds the channel full is left out.
func (r *Run) Controls() <-chan actions.Control { return r.controls }

// Observations returns the messages for the next model call, each once, and
// acknowledges them.
func (r *Run) Observations() []actions.Observation {
	r.mu.Lock()
	defer r.mu.Unlock()
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
	id := r.cfg
	controls, err := id.Conn.Subscribe(events.ControlSubject(id.Tenant, id.Agent, id.Run), r.onControl)
	if err != nil {
		return err
	}
	r.subs = append(r.subs, controls)
	verdicts, err := id.Conn.Subscribe(events.VerdictSubject(id.Tenant, id.Agent, id.Run, "*"), r.onVerdict)
	if err != nil {
		return err
	}
	r.subs = append(r.subs, verdicts)
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
		r.cfg.Logger.Warn("a message that no trusted key signed is ignored", "run", r.cfg.Run, "subject", m.Subject)
	}
	return err == nil
}

func (r *Run) onControl(m *nats.Msg) {
	if !r.genuine(actions.DomainControl, m) {
		return
	}
	c, err := actions.DecodeControl(m.Data)
	if err != nil {
		r.cfg.Logger.Warn("a control that cannot be read is ignored", "run", r.cfg.Run, "error", err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.obey(c)
}

func (r *Run) onVerdict(m *nats.Msg) {
	if !r.genuine(actions.DomainVerdict, m) {
		return
	}
	var v actions.Verdict
	if err := json.Unmarshal(m.Data, &v); err != nil || v.V != actions.Version {
		r.cfg.Logger.Warn("a verdict that cannot be read is ignored", "run", r.cfg.Run, "error", err)
		return
	}
	token := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
	r.mu.Lock()
	answer := r.waiting[token]
	r.mu.Unlock()
	if answer != nil {
		select {
		case answer <- v:
		default: // a second answer to one question
		}
	}
}

// obey acts on a control, once per id, and acknowledges it. The caller holds
// mu.
func (r *Run) obey(c actions.Control) {
	if c.Run != r.cfg.Run || c.Tenant != r.cfg.Tenant || c.Task != r.cfg.Task || c.Reason != actions.Acted || r.seen[c.ID] {
		return
	}
	r.seen[c.ID] = true
	switch {
	case c.Kind == actions.Escalate: // informs people
	case c.Expired(r.cfg.Now()):
		r.ack(c.ID, events.Expired, "expired at "+c.Expires.String())
	case c.Kind == actions.HaltRun:
		r.stop(c)
	case r.over || r.halted != nil:
		r.ack(c.ID, events.Ignored, "the run is over")
	default:
		r.pending = append(r.pending, c)
	}
	select {
	case r.controls <- c:
	default:
	}
}

// stop obeys a halt: nothing more is executed, the halt is acknowledged and
// the run ended with the status it names.
func (r *Run) stop(c actions.Control) {
	r.ack(c.ID, events.Applied, "")
	if r.halted != nil {
		return
	}
	r.halted = &HaltedError{Control: c}
	close(r.stopped)
	for _, p := range r.pending {
		r.ack(p.ID, events.Ignored, "the run was halted")
	}
	r.pending = nil
	if r.over {
		return
	}
	r.over = true
	status := events.Halted
	if c.EndStatus != nil && *c.EndStatus != "" {
		status = events.Status(*c.EndStatus)
	}
	if _, err := r.say(events.Event{Kind: events.RunEnd, End: &events.End{Status: status, Reason: c.Summary}}, nil); err != nil {
		r.cfg.Logger.Error("the end of a halted run could not be reported", "run", r.cfg.Run, "error", err)
	}
}

// ack reports what was done with a control; a halt without a control of its
// own, told by a verdict alone, has none.
func (r *Run) ack(control string, outcome events.Outcome, detail string) {
	if control == "" {
		return
	}
	e := events.Event{Kind: events.ControlAck, Ack: &events.Ack{Control: control, Outcome: outcome, Detail: detail}}
	if _, err := r.say(e, nil); err != nil {
		r.cfg.Logger.Error("a control could not be acknowledged", "run", r.cfg.Run, "control", control, "error", err)
	}
}

// heed takes what a verdict says: its controls, where the run goes on from,
// and whether it may go on at all.
func (r *Run) heed(asked events.Event, own engine.Answer, given actions.Verdict) (ruling, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := ruling{Verdict: given}
	if v.Event != asked.ID {
		return r.fallback(asked, own)
	}
	if r.guard != nil {
		r.guard.settled()
	}
	if v.LastSeq != nil {
		r.seq = max(r.seq, *v.LastSeq)
	}
	for _, c := range v.Controls {
		r.obey(c)
	}
	if v.Decision == actions.RefuseCall && r.halted == nil {
		r.stop(actions.Control{
			V: actions.Version, Kind: actions.HaltRun, Run: r.cfg.Run, Reason: actions.Acted,
			Summary: "the run or its task is halted; resume it first",
		})
	}
	if r.halted != nil {
		return v, r.halted
	}
	return v, nil
}
