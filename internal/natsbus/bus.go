package natsbus

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrNotFound says that a stream does not hold the sequence asked for.
var ErrNotFound = errors.New("message not found")

var errSketch = errors.New("sketch")

// Bus is one connection's view of a provisioned bus. It is safe for concurrent use.
type Bus struct {
	nc         *nats.Conn
	js         jetstream.JetStream
	partitions int
}

// New returns the bus behind nc, which stays the caller's to close. partitions
// is what Provision returned.
func New(nc *nats.Conn, partitions int) (*Bus, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	return &Bus{nc: nc, js: js, partitions: partitions}, nil
}

// Partitions is the number of partitions, P.
func (b *Bus) Partitions() int { return b.partitions }

// StreamState is where a stream stands.
type StreamState struct {
	First   uint64    // sequence of the oldest message; Last+1 where it is empty
	Last    uint64    // sequence of the newest message ever stored; 0 where there never was one
	Created time.Time // identifies the stream: a new one under the same name differs
}

// EventState says where the event stream of partition p stands.
func (b *Bus) EventState(ctx context.Context, p int) (StreamState, error) {
	return StreamState{}, errSketch
}

// Event returns one stored event of partition p, or ErrNotFound.
func (b *Bus) Event(ctx context.Context, p int, seq uint64) (Msg, error) { return Msg{}, errSketch }

// PublishOwn stores one of our own events on the reserved subject of its kind
// and returns its sequence. id is the event's id; as long as ctx lives it is
// tried again under the same id, so that the event is stored once.
func (b *Bus) PublishOwn(ctx context.Context, p int, kind, id string, data []byte) (uint64, error) {
	return 0, errSketch
}

// Answer publishes without storing: verdicts, and stored controls again. It
// returns when the message is in the connection's buffer, not when it is sent.
func (b *Bus) Answer(subject string, header nats.Header, data []byte) error { return errSketch }

// PutDeadLetter stores body for one rejected message, once per partition and
// sequence: where one is already there, it is left as it is and stored is false.
func (b *Bus) PutDeadLetter(ctx context.Context, p int, seq uint64, body []byte) (stored bool, err error) {
	return false, errSketch
}
