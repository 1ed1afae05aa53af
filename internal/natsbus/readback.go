package natsbus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ReadFrom calls fn for the records from sequence from (0 and 1: the oldest)
// to the one that was last when it was called, in order, junk included, and
// stops with fn's error. Records that have aged away are left out. A consumer
// that is lost on the way is replaced until ctx ends.
func (l *DecisionLog) ReadFrom(ctx context.Context, from uint64, fn func(Record) error) error {
	state, err := l.bus.state(ctx, l.stream)
	if err != nil {
		return fmt.Errorf("read decision log %d: %w", l.partition, err)
	}
	for wait := firstBackoff; from <= state.Last; wait = min(2*wait, lastBackoff) {
		done, err := l.readSome(ctx, &from, state.Last, fn)
		if err != nil {
			return fmt.Errorf("read decision log %d: %w", l.partition, err)
		}
		if done {
			return nil
		}
		if err := pause(ctx, wait); err != nil {
			return fmt.Errorf("read decision log %d: %w", l.partition, err)
		}
	}
	return nil
}

// readSome reads through one consumer and moves from on. It is not done where
// the consumer was lost before all was read.
func (l *DecisionLog) readSome(ctx context.Context, from *uint64, last uint64, fn func(Record) error) (done bool, err error) {
	s, err := l.bus.openSession(ctx, l.stream, "loopwatch_log", *from)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return false, err
	}
	if err != nil {
		return false, ctx.Err()
	}
	defer s.close(l.bus)
	changed := l.bus.nc.StatusChanged(nats.RECONNECTING, nats.CLOSED)
	defer l.bus.nc.RemoveStatusListener(changed)
	quit, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-changed:
		case <-quit.Done():
		}
		stop()
	}()
	s.quit = quit.Done()
	for *from <= last && s.left > 0 {
		m, meta, err := s.next(ctx)
		if err != nil {
			return false, ctx.Err()
		}
		if meta.Sequence.Stream < *from {
			return false, nil
		}
		*from = meta.Sequence.Stream + 1
		if meta.Sequence.Stream > last {
			break
		}
		r := Record{Seq: meta.Sequence.Stream, Stored: meta.Timestamp.UTC(), Subject: m.Subject, Header: ours(m.Header), Data: m.Data}
		if err := fn(r); err != nil {
			return false, err
		}
	}
	return true, nil
}

// SeekBack returns the sequence to read from in order to see every record after
// the newest one that behind says is behind. It looks at records one, two, four
// and so on before the end, so it may return an earlier one; where it finds none
// it returns 1. It costs a round trip a look.
func (l *DecisionLog) SeekBack(ctx context.Context, behind func(Record) bool) (uint64, error) {
	state, err := l.bus.state(ctx, l.stream)
	if err != nil {
		return 0, fmt.Errorf("seek in decision log %d: %w", l.partition, err)
	}
	for step := uint64(1); state.Last > step && state.Last-step >= state.First; step *= 2 {
		m, err := l.bus.get(ctx, l.stream, state.Last-step)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("seek in decision log %d: %w", l.partition, err)
		}
		if behind(m.record()) {
			return state.Last - step, nil
		}
	}
	return 1, nil
}

// ReadBack calls fn for the records from the newest to the oldest until fn
// returns false. It costs a round trip a record.
func (l *DecisionLog) ReadBack(ctx context.Context, fn func(Record) bool) error {
	state, err := l.bus.state(ctx, l.stream)
	if err != nil {
		return fmt.Errorf("read decision log %d back: %w", l.partition, err)
	}
	for seq := state.Last; seq >= max(state.First, 1); seq-- {
		m, err := l.bus.get(ctx, l.stream, seq)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read decision log %d back: %w", l.partition, err)
		}
		if !fn(m.record()) {
			return nil
		}
	}
	return nil
}
