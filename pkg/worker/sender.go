package worker

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// sender publishes a run's events in order, one in flight, each as often as it
// takes under the same id.
type sender struct {
	js      jetstream.JetStream
	cfg     *Config
	dropped atomic.Uint64
	ctx     context.Context // ends when the run lets go
	cancel  context.CancelFunc
	wake    chan struct{} // has a token when there may be something to do
	done    chan struct{} // closed when nothing more is sent

	mu        sync.Mutex
	queue     []*nats.Msg // the first one is in flight
	bytes     int
	finishing bool // ends when the queue is empty
	ended     bool
}

// queueBytes bounds what waits to be sent.
const queueBytes = 32 << 20

// newSender starts a sender; ended is called once when it has ended.
func newSender(js jetstream.JetStream, cfg *Config, ended func()) *sender {
	s := &sender{js: js, cfg: cfg, wake: make(chan struct{}, 1), done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(s.done)
		defer ended()
		s.run()
	}()
	return s
}

// add queues an event; where the queue is full it is dropped and counted,
// unless it must be said. It never blocks the agent.
func (s *sender) add(m *nats.Msg, must bool) {
	s.mu.Lock()
	full := len(s.queue) >= s.cfg.Queue || s.bytes+len(m.Data) > queueBytes
	ok := !s.ended && (must || !full)
	if ok {
		s.queue = append(s.queue, m)
		s.bytes += len(m.Data)
	}
	s.mu.Unlock()
	if ok {
		signal(s.wake)
		return
	}
	if s.dropped.Add(1) == 1 {
		s.cfg.Logger.Warn("events are dropped: the queue for the bus is full, or the run has let go of it")
	}
}

// signal leaves a token in c, which has room for one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// finish ends the sender once everything is sent.
func (s *sender) finish() {
	s.mu.Lock()
	s.finishing = true
	s.mu.Unlock()
	signal(s.wake)
}

// stop ends the sender at once and waits for that; what is queued is lost.
func (s *sender) stop() {
	s.cancel()
	<-s.done
}

// flush waits until a finishing sender has sent everything, at most for limit.
func (s *sender) flush(ctx context.Context, limit time.Duration) error {
	bound, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-s.done:
	case <-bound.Done():
	}
	s.mu.Lock()
	left, ended := len(s.queue), s.ended
	s.mu.Unlock()
	switch {
	case left == 0:
		return nil
	case ended:
		return fmt.Errorf("%d events were not stored: the run has let go of the bus", left)
	}
	return fmt.Errorf("%d events are not stored yet: %w", left, bound.Err())
}

func (s *sender) run() {
	for m := s.next(); m != nil && s.send(m); m = s.next() {
		s.mu.Lock()
		s.bytes -= len(m.Data)
		s.queue[0] = nil
		s.queue = s.queue[1:]
		s.mu.Unlock()
	}
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
}

// next waits for an event; nil means that none will come.
func (s *sender) next() *nats.Msg {
	for {
		s.mu.Lock()
		if len(s.queue) > 0 {
			defer s.mu.Unlock()
			return s.queue[0]
		}
		s.ended = s.finishing || s.ctx.Err() != nil
		ended := s.ended
		s.mu.Unlock()
		if ended {
			return nil
		}
		select {
		case <-s.wake:
		case <-s.ctx.Done():
		}
	}
}
