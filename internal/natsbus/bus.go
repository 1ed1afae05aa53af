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

// ErrClosed is what a closed reader returns.
var ErrClosed = errors.New("reader closed")

// ErrNotFound says that a stream does not hold the sequence asked for.
var ErrNotFound = errors.New("message not found")

// Bus is one connection's view of a provisioned bus. It is safe for concurrent use.
type Bus struct {
	nc         *nats.Conn
	js         jetstream.JetStream
	partitions int
}

// New returns the bus behind nc, which stays the caller's to close; JetStream
// is the one of its account. partitions is what Provision returned.
func New(nc *nats.Conn, partitions int) (*Bus, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("open JetStream: %w", err)
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
	return b.state(ctx, events.EventStream(p))
}

func (b *Bus) state(ctx context.Context, stream string) (StreamState, error) {
	s, err := b.js.Stream(ctx, stream)
	if err != nil {
		return StreamState{}, fmt.Errorf("ask %s for its state: %w", stream, err)
	}
	info := s.CachedInfo()
	return StreamState{First: max(info.State.FirstSeq, 1), Last: info.State.LastSeq, Created: info.Created}, nil
}

// Event returns one stored event of partition p, or ErrNotFound. The stream's
// leader is asked, so what it has acknowledged is found.
func (b *Bus) Event(ctx context.Context, p int, seq uint64) (Msg, error) {
	raw, err := b.get(ctx, events.EventStream(p), seq)
	if err != nil {
		return Msg{}, err
	}
	return Msg{
		Partition: p, Seq: raw.Seq, Stored: raw.Time.UTC(), Subject: raw.Subject, Data: raw.Data,
		Check: raw.Header.Get(CheckHeader), ID: raw.Header.Get(IDHeader), Sig: raw.Header.Get(events.HeaderSig),
	}, nil
}
