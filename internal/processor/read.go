package processor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// read decodes a stored message and checks that it belongs where it stands. The
// event aliases the message's data and the work's memory.
func (p *Processor) read(w *work) *events.Reject {
	m, e := &w.msg, &w.event
	if err := w.decoder.Decode(m.Data, p.cfg.Limit, e); err != nil {
		return rejectOf(err)
	}
	place, ok := events.ParsePartitionSubject(m.Subject)
	if !ok {
		return &events.Reject{Reason: events.ReasonIdentity, Detail: "not a subject of events"}
	}
	if r := events.CheckIdentity(*e, place, p.cfg.Bus.Partitions()); r != nil {
		return r
	}
	if e.Kind == events.OperatorAct && !actions.VerifyOperator(p.cfg.Operators, m.Data) {
		return &events.Reject{Reason: events.ReasonSignature, Field: "operator.sig", Detail: "operator.sig: no trusted key signed this act"}
	}
	if e.Kind == events.PolicyChange && p.cfg.Trusted.Verify(actions.DomainRecord, m.Subject, m.Data, m.Sig) != nil {
		return &events.Reject{Reason: events.ReasonSignature, Field: "policy", Detail: "policy: no trusted processor copied this from the bucket"}
	}
	e.Stored, e.StreamSeq = m.Stored, m.Seq
	return nil
}

// letter is the body of a dead letter: where the event is and why it was
// refused. Its text stays in the stream.
type letter struct {
	V         int       `json:"v"`
	Partition int       `json:"partition"`
	Stream    string    `json:"stream"`
	Seq       uint64    `json:"seq"`
	Stored    time.Time `json:"stored"`
	Subject   string    `json:"subject"`
	Event     string    `json:"event,omitempty"` // id, where it could be read
	Reason    string    `json:"reason"`
	Field     string    `json:"field,omitempty"`
	Detail    string    `json:"detail"`
	SHA256    string    `json:"sha256"`
	Bytes     int       `json:"bytes"`
}

// bury stores the dead letter of a refused message, once, or counts it where its
// tenant has had its share.
func (p *Processor) bury(ctx context.Context, w *work) error {
	if !p.shares.room(w.owner.number, w.msg.Subject, w.msg.Stored) {
		p.cfg.Metrics.overflow.Inc()
		return nil
	}
	sum := sha256.Sum256(w.msg.Data)
	body, err := json.Marshal(letter{
		V: 1, Partition: w.owner.number, Stream: natsbus.EventStream(w.owner.number), Seq: w.msg.Seq,
		Stored: w.msg.Stored, Subject: w.msg.Subject, Event: w.event.ID,
		Reason: string(w.reject.Reason), Field: w.reject.Field, Detail: actions.Sanitise(w.reject.Detail, 300),
		SHA256: hex.EncodeToString(sum[:]), Bytes: len(w.msg.Data),
	})
	if err != nil {
		return fmt.Errorf("encode dead letter: %w", err)
	}
	if _, err := p.cfg.Bus.PutDeadLetter(ctx, w.owner.number, w.msg.Seq, body); err != nil {
		return fmt.Errorf("store dead letter %d of partition %d: %w", w.msg.Seq, w.owner.number, err)
	}
	p.cfg.Logger.Warn("event refused", "partition", w.owner.number, "seq", w.msg.Seq,
		"reason", w.reject.Reason, "field", w.reject.Field)
	return nil
}

// rejectOf returns the reason that decoding gave.
func rejectOf(err error) *events.Reject {
	var r *events.Reject
	if errors.As(err, &r) {
		return r
	}
	return &events.Reject{Reason: events.ReasonNotJSON, Detail: err.Error()}
}
