package natsbus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// StreamError says that a stream is not the one it was: recreated, gone, or
// its sequences went backwards.
type StreamError struct {
	Stream    string
	Partition int
	Standing  Standing
	Next      uint64 // the sequence that was to come
	State     StreamState
}

func (e *StreamError) Error() string {
	return fmt.Sprintf("stream %s is not the one it was: %s (next sequence %d, it holds %d to %d, created %v)",
		e.Stream, e.Standing, e.Next, e.State.First, e.State.Last, e.State.Created)
}

// partitionReader keeps one lane of a Reader filled.
type partitionReader struct {
	r       *Reader
	p       int
	lane    *lane
	created atomic.Pointer[time.Time] // of the stream; nil before first contact
	next    atomic.Uint64             // sequence to come
	held    atomic.Bool               // waits for room in its lane
	restart chan struct{}             // a token ends the session
	opened  bool                      // there was a session before
	silence silence                   // belongs to watch
	cancel  context.CancelFunc
	done    chan struct{}
}

// run reads until ctx ends or the stream is not the one it was.
func (pr *partitionReader) run(ctx context.Context) {
	defer close(pr.done)
	for wait := firstBackoff; ctx.Err() == nil; wait = min(2*wait, lastBackoff) {
		before := pr.next.Load()
		if bad := pr.session(ctx); bad != nil {
			pr.r.queue.fail(pr.lane, bad)
			return
		}
		if pr.next.Load() != before {
			wait = firstBackoff
		}
		_ = pause(ctx, wait) // the loop looks at ctx itself
	}
}

// session reads through one consumer until that is lost, which is what nil
// says. The consumer is made before the stream is looked at: a stream that is
// replaced after the look takes the consumer with it.
func (pr *partitionReader) session(ctx context.Context) *StreamError {
	bus, stream := pr.r.bus, events.EventStream(pr.p)
	select {
	case <-pr.restart: // meant for the session before
	default:
	}
	s, err := bus.openSession(ctx, stream, pr.r.cfg.Name, pr.next.Load())
	if err == nil {
		defer s.close(bus)
	} else if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	var created time.Time
	if c := pr.created.Load(); c != nil {
		created = *c
	}
	state, standing, err := bus.stand(ctx, stream, created, pr.next.Load())
	switch {
	case err != nil || s == nil && standing != Gone:
		return nil
	case standing != Sound && standing != Behind:
		return &StreamError{Stream: stream, Partition: pr.p, Standing: standing, Next: pr.next.Load(), State: state}
	case standing == Behind:
		if pr.deliver(ctx, Msg{Partition: pr.p, GapFrom: pr.next.Load(), Seq: state.First - 1}) != nil {
			return nil
		}
	}
	pr.created.Store(&state.Created)
	if pr.opened {
		pr.r.restarts.Add(1)
	}
	pr.opened = true
	pr.read(ctx, s)
	return nil
}

// read delivers what the session brings until it ends.
func (pr *partitionReader) read(ctx context.Context, s *session) {
	s.quit = pr.restart
	for {
		m, meta, err := s.next(ctx)
		if err != nil || meta.Sequence.Stream < pr.next.Load() {
			return
		}
		if next := pr.next.Load(); meta.Sequence.Stream > next {
			if pr.deliver(ctx, Msg{Partition: pr.p, GapFrom: next, Seq: meta.Sequence.Stream - 1}) != nil {
				return
			}
		}
		err = pr.deliver(ctx, Msg{
			Partition: pr.p, Seq: meta.Sequence.Stream, Stored: meta.Timestamp.UTC(), Subject: m.Subject,
			Check: m.Header.Get(CheckHeader), ID: m.Header.Get(IDHeader), Sig: m.Header.Get(events.HeaderSig), Data: m.Data,
		})
		if err != nil {
			return
		}
	}
}

// deliver queues m, waiting for room, and moves on.
func (pr *partitionReader) deliver(ctx context.Context, m Msg) error {
	if !pr.r.queue.tryPut(pr.lane, m) {
		pr.held.Store(true)
		defer pr.held.Store(false)
		if err := pr.r.queue.put(ctx, pr.lane, m); err != nil {
			return err
		}
	}
	pr.next.Store(m.Seq + 1)
	return nil
}

// consumerPrefix keeps of a name what a consumer's name may hold.
func consumerPrefix(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return c
		}
		return '_'
	}, name)
}
