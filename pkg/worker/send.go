package worker

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Waits between two attempts.
const (
	attemptWait = 2 * time.Second
	firstGap    = 20 * time.Millisecond
	lastGap     = 2 * time.Second
)

// send publishes one event until the bus has it or refuses it for good; false
// when there is no bus any more or the run lets go.
func (s *sender) send(m *nats.Msg) bool {
	for n, gap := 0, firstGap; ; n, gap = n+1, min(2*gap, lastGap) {
		if !s.connected() {
			return false
		}
		ctx, cancel := context.WithTimeout(s.ctx, attemptWait)
		ack, err := s.js.PublishMsg(ctx, m)
		cancel()
		switch {
		case err == nil && ack.Duplicate && n == 0:
			s.cfg.Logger.Error("the bus already holds an event of this id", "event", m.Header.Get(nats.MsgIdHdr))
			return true
		case err == nil:
			return true
		case refused(err):
			s.dropped.Add(1)
			s.cfg.Logger.Error("the bus refuses an event", "event", m.Header.Get(nats.MsgIdHdr), "bytes", len(m.Data), "error", err)
			return true
		case n == 3:
			s.cfg.Logger.Warn("the bus takes no events; they wait", "error", err)
		}
		select {
		case <-s.ctx.Done():
			return false
		case <-time.After(gap):
		}
	}
}

// connected waits for the connection; false when the run lets go, or ends
// without one for good. Nothing is published without one, so that nothing
// stale leaves later.
func (s *sender) connected() bool {
	nc := s.cfg.Conn
	if nc.IsConnected() {
		return s.ctx.Err() == nil
	}
	changed := nc.StatusChanged(nats.CONNECTED, nats.CLOSED)
	defer nc.RemoveStatusListener(changed)
	for !nc.IsConnected() {
		if nc.IsClosed() {
			s.cfg.Logger.Error("the connection is closed; nothing more can be reported")
			s.awaitEnd()
			return false
		}
		select {
		case <-changed:
		case <-s.ctx.Done():
			return false
		}
	}
	return true
}

// awaitEnd waits until the run is over or lets go.
func (s *sender) awaitEnd() {
	for {
		s.mu.Lock()
		over := s.finishing || s.ctx.Err() != nil
		s.mu.Unlock()
		if over {
			return
		}
		select {
		case <-s.wake:
		case <-s.ctx.Done():
		}
	}
}

// refused says that the bus will never take this event.
func refused(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, nats.ErrMaxPayload) || errors.As(err, &api) && api.ErrorCode == tooLarge
}

// tooLarge is the code of a message that is larger than the stream takes.
const tooLarge jetstream.ErrorCode = 10054
