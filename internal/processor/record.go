package processor

import (
	"context"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// record stores one decision in the decision log, unless it is there already.
// Acted ones are re-published to their worker by the bus once they are stored.
func (p *Processor) record(ctx context.Context, w *work, out *outgoing) error {
	d := &out.decision
	body, err := out.message.Encode()
	if err != nil {
		return fmt.Errorf("encode decision %s: %w", d.Incident, err)
	}
	subject := events.WithheldSubject(w.owner.number, d.Target.Tenant, d.Agent, d.Target.Run)
	if d.Reason == actions.Acted {
		subject = events.ControlLogSubject(w.owner.number, d.Target.Tenant, d.Agent, d.Target.Run)
		p.texts.keep(d.ID, body)
	}
	if out.old {
		p.compare(w.owner, out)
		return nil
	}
	if _, err := w.owner.log.Append(ctx, subject, p.sealed(domainOf(subject), liveSubject(subject), body), body); err != nil {
		return fmt.Errorf("log decision %s of partition %d: %w", d.Incident, w.owner.number, err)
	}
	p.done("record")
	return nil
}

// compare checks a decision made again against the one that was logged.
func (p *Processor) compare(o *owner, out *outgoing) {
	want, known := o.logged.ids[out.message.At]
	if got := out.message.Identity(); known && want != got {
		p.cfg.Metrics.mismatch()
		p.cfg.Logger.Error("a decision made again differs from the one that was logged; the logged one stands",
			"partition", o.number, "seq", out.message.At.Seq, "logged", want, "now", got)
	}
}

// sealed returns the header that signs a message for a subject.
func (p *Processor) sealed(domain, subject string, body []byte) nats.Header {
	return nats.Header{actions.SignatureHeader: []string{p.cfg.Signer.Sign(domain, subject, body)}}
}

// genuine reports whether one of our trusted keys signed the record.
func (p *Processor) genuine(domain, subject string, r natsbus.Record) bool {
	return p.cfg.Trusted.Verify(domain, subject, r.Data, r.Header.Get(actions.SignatureHeader)) == nil
}

// domainOf returns the signature domain of a subject of the decision log: what
// is withheld is never signed as a control.
func domainOf(subject string) string {
	if strings.HasPrefix(subject, "lw.ctlp.") {
		return actions.DomainControl
	}
	return actions.DomainRecord
}

// liveSubject returns the subject a record of the decision log is signed for:
// the one a worker sees, where it is re-published.
func liveSubject(subject string) string {
	parts := strings.Split(subject, ".")
	if len(parts) == 6 && parts[1] == "ctlp" {
		return events.ControlSubject(parts[3], parts[4], parts[5])
	}
	return subject
}

// resend publishes a stored control again, byte for byte.
func (p *Processor) resend(ctx context.Context, o *owner, r engine.Resend) {
	body, err := p.texts.control(ctx, o.number, r.Target, r.Agent, r.Control)
	if err != nil {
		p.cfg.Logger.Warn("a halt could not be sent again", "partition", o.number, "control", r.Control, "error", err)
		return
	}
	subject := events.ControlSubject(r.Target.Tenant, r.Agent, r.Target.Run)
	if err := p.cfg.Bus.Answer(subject, p.sealed(actions.DomainControl, subject, body), body); err != nil {
		p.cfg.Logger.Warn("a halt could not be sent again", "partition", o.number, "control", r.Control, "error", err)
	}
}
