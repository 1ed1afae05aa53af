package natsbus

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
)

// ErrFenced says that a later owner has raised its epoch on the log; whoever
// gets it owns the partition no longer.
var ErrFenced = errors.New("fenced by a later epoch")

// ErrClosed is what a closed reader returns.
var ErrClosed = errors.New("closed")

// Record is one entry of a decision log.
type Record struct {
	Seq     uint64 // stream sequence; ignored by Append
	Stored  time.Time
	Subject string
	Header  nats.Header // ours; the bus' own (Nats-…) are left out
	Data    []byte
}

// DecisionLog is the decision log of one partition, for its owner: outbox and
// fence. All methods may be called from any goroutine; Append is one at a time.
type DecisionLog struct{}

// OpenLog opens the decision log of partition p at its present end.
//
// supersedes judges a foreign record on EpochSubject(p): true means that it is
// validly signed and higher than ours, so that we are fenced. It is called
// with records that came after the open, from inside Append.
func (b *Bus) OpenLog(ctx context.Context, p int, supersedes func(Record) bool) (*DecisionLog, error) {
	return nil, errSketch
}

// Append stores a record at the end of the log if nobody else has written
// since, and returns its sequence. The same record (subject and data) is never
// stored twice by one call, however many acknowledgements get lost. Foreign
// records in the way are counted as junk and passed, unless one supersedes:
// then, and forever after, the answer is ErrFenced. While the bus is away it
// tries again until ctx ends. A header that begins with Nats- is refused.
//
// When ctx ends, the record may or may not have been stored; Append of the
// same record again finds out.
func (l *DecisionLog) Append(ctx context.Context, subject string, header nats.Header, data []byte) (uint64, error) {
	return 0, errSketch
}

// Last is the sequence of the newest record that is known.
func (l *DecisionLog) Last() uint64 { return 0 }

// Junk counts the foreign records that Append has passed.
func (l *DecisionLog) Junk() uint64 { return 0 }

// ReadFrom calls fn for the records from sequence from (0 and 1: the oldest)
// to the one that was last when it was called, in order, junk included, and
// stops with fn's error.
func (l *DecisionLog) ReadFrom(ctx context.Context, from uint64, fn func(Record) error) error {
	return errSketch
}

// ReadBack calls fn for the records from the newest to the oldest until fn
// returns false. It costs a round trip a record.
func (l *DecisionLog) ReadBack(ctx context.Context, fn func(Record) bool) error { return errSketch }
