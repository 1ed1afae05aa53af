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
	cfg     Config
	queue   chan *nats.Msg
	dropped atomic.Uint64
	ctx     context.Context
	cancel  context.CancelFunc
	done    sync.WaitGroup
	open    atomic.Int64 // queued or in flight
	idle    chan struct{}
}

// Waits between two attempts.
const (
	attempt  = 2 * time.Second
	firstGap = 20 * time.Millisecond
	lastGap  = 2 * time.Second
)

func newSender(js jetstream.JetStream, cfg Config) *sender {
	s := &sender{js: js, cfg: cfg, queue: make(chan *nats.Msg, cfg.Queue), idle: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.done.Go(s.run)
	return s
}

// add queues an event, or drops and counts it where the queue is full. It
// never blocks the agent.
func (s *sender) add(m *nats.Msg) {
	s.open.Add(1)
	select {
	case s.queue <- m:
	default:
		s.open.Add(-1)
		if s.dropped.Add(1) == 1 {
			s.cfg.Logger.Warn("the bus is away and the queue is full: events are dropped", "run", s.cfg.Run)
		}
	}
}

func (s *sender) run() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case m := <-s.queue:
			if !s.send(m) {
				return
			}
			if s.open.Add(-1) == 0 {
				select {
				case s.idle <- struct{}{}:
				default:
				}
			}
		}
	}
}

// send publishes one event until it is stored; false when the run lets go.
func (s *sender) send(m *nats.Msg) bool {
	for gap := firstGap; ; gap = min(2*gap, lastGap) {
		ctx, cancel := context.WithTimeout(s.ctx, attempt)
		_, err := s.js.PublishMsg(ctx, m)
		cancel()
		if err == nil {
			return true
		}
		s.cfg.Logger.Debug("an event is sent again", "run", s.cfg.Run, "error", err)
		select {
		case <-s.ctx.Done():
			return false
		case <-time.After(gap):
		}
	}
}

// flush waits until nothing is queued or in flight.
func (s *sender) flush(ctx context.Context) error {
	for s.open.Load() > 0 {
		select {
		case <-s.idle:
		case <-ctx.Done():
			return fmt.Errorf("flush %d events: %w", s.open.Load(), ctx.Err())
		case <-s.ctx.Done():
			return fmt.Errorf("flush %d events: %w", s.open.Load(), s.ctx.Err())
		}
	}
	return nil
}

// stop ends the sender; what is queued is lost.
func (s *sender) stop() {
	s.cancel()
	s.done.Wait()
}
