package natsbus

import (
	"context"
	"time"
)

// Msg is one stored message, or a gap: sequences that the stream does not hold any more.
type Msg struct {
	Partition int
	Seq       uint64    // stream sequence; of a gap, the last one missing
	GapFrom   uint64    // first missing sequence; 0 where this is a message
	Stored    time.Time // when the stream stored it; of a gap, zero
	Subject   string
	Check     string // header Lw-Check, empty where the event asks nothing
	ID        string // header Nats-Msg-Id
	Data      []byte // owned by the receiver
}

// IsGap reports whether m stands for missing sequences GapFrom to Seq.
func (m *Msg) IsGap() bool { return m.GapFrom != 0 }

// ReaderConfig bounds a Reader; a zero field means its default.
type ReaderConfig struct {
	Name       string        // prefix of its consumers' names, to tell instances apart; default "loopwatch"
	QueueMsgs  int           // messages waiting, all partitions together; default 16,384
	QueueBytes int           // payload bytes waiting, all partitions together; default 64 MiB
	Watch      time.Duration // silence after which a partition's progress is checked; default 2 s
}

// Reader reads the event streams of the partitions it was given, each in
// order and without a hole that is not reported. It never acknowledges:
// where a reader starts is its caller's business. One goroutine fetches;
// Add and Remove may be called from any.
type Reader struct{}

// NewReader returns a reader of no partition. Close it.
func (b *Bus) NewReader(cfg ReaderConfig) *Reader { return &Reader{} }

// Add reads partition p from sequence from (1 is the first ever stored) on, as
// long as the stream is the one that was created at created (StreamState, as
// Verify returns it); a zero created takes the stream that is found first. It
// returns at once; an unreachable bus is retried until Remove or Close. Adding
// a partition that is read already is an error.
func (r *Reader) Add(p int, from uint64, created time.Time) error { return errSketch }

// Remove stops reading p and drops what waits of it; afterwards Fetch returns
// nothing of p. Removing what is not read does nothing.
func (r *Reader) Remove(p int) {}

// Fetch returns up to max waiting messages: at once where any wait, else as
// soon as one does. Messages of one partition stand together, in sequence
// order without a hole: each follows the one before, or a gap. An error is
// ctx's, ErrClosed, or a *StreamError, after which its partition is not read
// any more (Remove it, Verify, Add again) while the others are.
func (r *Reader) Fetch(ctx context.Context, max int) ([]Msg, error) { return nil, errSketch }

// StreamError says that the stream under a reader is not the one it was:
// recreated, gone, or its sequences went backwards.
type StreamError struct {
	Partition int
	Standing  Standing
	Next      uint64 // the sequence that was to come
	Stream    StreamState
}

func (e *StreamError) Error() string { return e.Standing.String() }

// Restarts counts how often a consumer was made anew because it was lost or
// made no progress, since the reader was made.
func (r *Reader) Restarts() uint64 { return 0 }

// Close stops reading and waits until everything has ended. Fetch returns ErrClosed from then on.
func (r *Reader) Close() {}
