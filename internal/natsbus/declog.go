package natsbus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// ErrFenced says that a later owner has raised its epoch on the log; whoever
// gets it owns the partition no longer.
var ErrFenced = errors.New("fenced by a later epoch")

// Record is one entry of a decision log.
type Record struct {
	Seq     uint64
	Stored  time.Time // UTC
	Subject string
	Header  nats.Header // ours; the bus' own (Nats-…) are left out
	Data    []byte
}

// DecisionLog is the decision log of one partition, for its owner: outbox and
// fence. All methods may be called from any goroutine; Append is one at a time.
type DecisionLog struct {
	bus        *Bus
	partition  int
	stream     string
	supersedes func(Record) bool
	created    time.Time
	last       atomic.Uint64
	junk       atomic.Uint64

	mu     sync.Mutex // held through an Append
	fenced bool
	tail   *session // follows the end while others write
}

// OpenLog opens the decision log of partition p at its present end.
//
// supersedes judges a foreign record on EpochSubject(p): true means that it is
// validly signed and higher than ours, so that we are fenced. It is called
// from inside Append, with records that were stored after the log was opened.
func (b *Bus) OpenLog(ctx context.Context, p int, supersedes func(Record) bool) (*DecisionLog, error) {
	l := &DecisionLog{bus: b, partition: p, stream: events.ControlStream(p), supersedes: supersedes}
	state, err := b.state(ctx, l.stream)
	if err != nil {
		return nil, fmt.Errorf("open decision log %d: %w", p, err)
	}
	l.created = state.Created
	l.last.Store(state.Last)
	return l, nil
}

// Append stores a record at the end of the log if nobody else has written
// since, and returns its sequence. The record (subject, header and data) is
// never stored twice by one call, however many acknowledgements get lost.
// Foreign records in the way are counted as junk and passed, unless one
// supersedes: then, and ever after, the answer is ErrFenced. While the bus is
// away it tries again until ctx ends. A *StreamError says that this is not the
// log that was opened. A header that begins with Nats- is refused.
//
// When ctx ends, the record may or may not have been stored; Append of the
// same record again, before any other, finds out.
func (l *DecisionLog) Append(ctx context.Context, subject string, header nats.Header, data []byte) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seq, err := l.append(ctx, Record{Subject: subject, Header: header, Data: data})
	if err != nil {
		return 0, fmt.Errorf("append to decision log %d: %w", l.partition, err)
	}
	return seq, nil
}

func (l *DecisionLog) append(ctx context.Context, r Record) (uint64, error) {
	if len(ours(r.Header)) != len(r.Header) {
		return 0, errors.New("header Nats-… is the bus' own")
	}
	defer l.closeTail()
	for wait := firstBackoff; ; wait = min(2*wait, lastBackoff) {
		if l.fenced {
			return 0, ErrFenced
		}
		m := &nats.Msg{Subject: r.Subject, Header: maps.Clone(r.Header), Data: r.Data}
		ack, err := l.bus.store(ctx, m, jetstream.WithExpectLastSequence(l.last.Load()), jetstream.WithExpectStream(l.stream))
		if err == nil {
			l.last.Store(ack.Sequence)
			return ack.Sequence, nil
		}
		if !isWrongLast(err) {
			return 0, err
		}
		seq, err := l.pass(ctx, r)
		if seq != 0 || err != nil && !errors.Is(err, errLost) {
			return seq, err
		}
		if err == nil {
			wait = firstBackoff / 2
		} else if err := pause(ctx, wait); err != nil {
			return 0, err
		}
	}
}

// Last is the sequence of the newest record that is known.
func (l *DecisionLog) Last() uint64 { return l.last.Load() }

// Junk counts the foreign records that Append has passed.
func (l *DecisionLog) Junk() uint64 { return l.junk.Load() }

// same says that two records were meant as one.
func same(a, b Record) bool {
	return a.Subject == b.Subject && bytes.Equal(a.Data, b.Data) && maps.EqualFunc(a.Header, b.Header, slices.Equal)
}

// ours returns the header without what the bus adds or obeys.
func ours(h nats.Header) nats.Header {
	h = maps.Clone(h)
	maps.DeleteFunc(h, func(k string, _ []string) bool { return strings.HasPrefix(strings.ToLower(k), "nats-") })
	return h
}
