package natsbus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

const (
	attemptWait  = 2 * time.Second // for one acknowledgement
	firstBackoff = 20 * time.Millisecond
	lastBackoff  = time.Second
)

// store publishes m until a stream answers or ctx ends. The answer may be a
// refusal, an *jetstream.APIError. What was published before an error may or
// may not have been stored.
func (b *Bus) store(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	opts = append(opts, jetstream.WithRetryAttempts(0))
	var why error // of the last attempt that ended before ctx
	for wait := firstBackoff; ; wait = min(2*wait, lastBackoff) {
		attempt, cancel := context.WithTimeout(ctx, attemptWait)
		ack, err := b.js.PublishMsg(attempt, m, opts...)
		cancel()
		if err == nil || !transient(err) {
			return ack, err
		}
		if ctx.Err() == nil || why == nil {
			why = err
		}
		if gone := pause(ctx, wait); gone != nil {
			return nil, errors.Join(gone, why)
		}
	}
}

// pause waits, or returns ctx's error.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// transient says that the bus may answer otherwise a moment later.
func transient(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.Code == 503
	}
	for _, fate := range []error{nats.ErrConnectionClosed, nats.ErrMaxPayload, nats.ErrBadSubject, nats.ErrHeadersNotSupported, jetstream.ErrInvalidOption} {
		if errors.Is(err, fate) {
			return false
		}
	}
	return true
}

// isWrongLast says that a compare-and-swap found another last sequence.
func isWrongLast(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) &&
		(api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// PublishOwn stores one of our own events on the reserved subject of its kind
// and returns its sequence. id is the event's id; as long as ctx lives it is
// tried again under the same id, so that the event is stored once.
func (b *Bus) PublishOwn(ctx context.Context, p int, kind, id string, data []byte) (uint64, error) {
	return b.PublishSigned(ctx, p, kind, id, "", data)
}

// PublishSigned is PublishOwn with a signature of subject and data beside the
// event, which nothing is demanded of here; empty means none.
func (b *Bus) PublishSigned(ctx context.Context, p int, kind, id, sig string, data []byte) (uint64, error) {
	if p < 0 || p >= b.partitions {
		return 0, fmt.Errorf("publish %s to partition %d: there are %d", kind, p, b.partitions)
	}
	m := &nats.Msg{Subject: events.ReservedSubject(p, events.Kind(kind)), Header: nats.Header{}, Data: data}
	if sig != "" {
		m.Header.Set(events.HeaderSig, sig)
	}
	ack, err := b.store(ctx, m, jetstream.WithMsgID(id), jetstream.WithExpectStream(events.EventStream(p)))
	if err != nil {
		return 0, fmt.Errorf("publish %s to partition %d: %w", kind, p, err)
	}
	return ack.Sequence, nil
}

// PublishEvent stores a worker's event on the subject its worker would publish
// it to, with its check where it has one. As long as ctx lives it is tried
// again under the same id and check. A refusal for good is
// an *jetstream.APIError or nats.ErrMaxPayload.
func (b *Bus) PublishEvent(ctx context.Context, subject, id, check string, data []byte) error {
	m := &nats.Msg{Subject: subject, Header: nats.Header{}, Data: data}
	if check != "" {
		m.Header.Set(CheckHeader, check)
	}
	if _, err := b.store(ctx, m, jetstream.WithMsgID(id)); err != nil {
		return fmt.Errorf("publish event: %w", err)
	}
	return nil
}

// Answer publishes without storing: verdicts, and stored controls again. It
// returns when the message is in the connection's buffer, not when it is sent;
// while there is no connection it fails.
func (b *Bus) Answer(subject string, header nats.Header, data []byte) error {
	if err := b.nc.PublishMsg(&nats.Msg{Subject: subject, Header: header, Data: data}); err != nil {
		return fmt.Errorf("answer on %s: %w", subject, err)
	}
	return nil
}

// PutDeadLetter stores body for one rejected message, once per partition and
// sequence: where one is already there, it is left as it is and stored is
// false. As long as ctx lives it is tried again.
func (b *Bus) PutDeadLetter(ctx context.Context, p int, seq uint64, body []byte) (stored bool, err error) {
	m := &nats.Msg{Subject: events.DeadLetterSubject(p, seq), Data: body}
	_, err = b.store(ctx, m, jetstream.WithExpectLastSequencePerSubject(0), jetstream.WithExpectStream(events.DeadLetterStream))
	switch {
	case err == nil:
		return true, nil
	case isWrongLast(err):
		return false, nil
	}
	return false, fmt.Errorf("store dead letter %d of partition %d: %w", seq, p, err)
}
