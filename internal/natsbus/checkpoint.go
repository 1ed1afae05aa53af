package natsbus

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Checkpoint is how far a partition was applied; the zero value is: nothing yet.
type Checkpoint struct {
	Seq     uint64    // stream sequence of the last applied event
	Created time.Time // of its stream; zero is not compared
	Digest  [16]byte  // Digest of the event at Seq; zero is not compared
}

// Standing is how a checkpoint stands to the stream.
type Standing int

// Only Sound and Behind may go on from the checkpoint.
const (
	Sound     Standing = iota // the next event is there, or the next to come
	Behind                    // events after the checkpoint are gone; the reader will report the gap
	Recreated                 // another stream under the same name
	Backwards                 // the stream ends before the checkpoint
	Differs                   // another event stands at the checkpoint's sequence
	Gone                      // there is no stream
)

var standings = [...]string{"sound", "behind", "recreated", "backwards", "differs", "gone"}

func (s Standing) String() string { return standings[s] }

// Digest identifies a stored event by subject and data.
func Digest(m *Msg) [16]byte {
	h := sha256.New()
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(m.Subject)))
	h.Write(n[:])
	h.Write([]byte(m.Subject))
	h.Write(m.Data)
	return [16]byte(h.Sum(nil)[:16])
}

// Verify compares a checkpoint of partition p with its event stream. The error
// is of asking; what was found is the Standing.
func (b *Bus) Verify(ctx context.Context, p int, c Checkpoint) (Standing, StreamState, error) {
	state, standing, err := b.stand(ctx, events.EventStream(p), c.Created, c.Seq+1)
	if err != nil || standing == Recreated || standing == Backwards || standing == Gone {
		return standing, state, err
	}
	if c.Seq == 0 || c.Digest == ([16]byte{}) {
		return standing, state, nil
	}
	m, err := b.Event(ctx, p, c.Seq)
	switch {
	case errors.Is(err, ErrNotFound): // removed by age: nothing to compare with
		return standing, state, nil
	case err != nil:
		return standing, state, err
	case Digest(&m) != c.Digest:
		return Differs, state, nil
	}
	return standing, state, nil
}

// stand compares what a reader knows of a stream, its creation (zero: nothing)
// and the sequence that comes next, with the stream.
func (b *Bus) stand(ctx context.Context, stream string, created time.Time, next uint64) (StreamState, Standing, error) {
	state, err := b.state(ctx, stream)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return state, Gone, nil
	case err != nil:
		return state, Gone, err
	case !created.IsZero() && !created.Equal(state.Created):
		return state, Recreated, nil
	case state.Last+1 < next:
		return state, Backwards, nil
	case next < state.First:
		return state, Behind, nil
	}
	return state, Sound, nil
}
