package natsbus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// tailWait is how long a record that the server speaks of may be under way.
const tailWait = time.Second

// pass reads what others stored after the last record known, and moves there.
// It returns where r itself was found, 0 where it was not. It reads through a
// consumer, and goes on where it stopped when it is called again by the same
// Append, so that it is faster than whoever floods the log.
func (l *DecisionLog) pass(ctx context.Context, r Record) (found uint64, err error) {
	if l.tail == nil {
		if err := l.openTail(ctx); err != nil {
			return 0, err
		}
		if l.tail.left == 0 {
			return 0, nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, tailWait)
	defer cancel()
	for more := true; more; more = l.tail.left > 0 {
		m, meta, err := l.tail.next(ctx)
		if err != nil || meta.Sequence.Stream <= l.last.Load() {
			l.closeTail()
			return 0, errors.Join(errLost, err)
		}
		o := Record{Subject: m.Subject, Header: ours(m.Header), Data: m.Data}
		switch {
		case found == 0 && same(o, r):
			found = meta.Sequence.Stream
		case o.Subject == events.EpochSubject(l.partition) && l.supersedes(o):
			l.fenced = true
			return 0, ErrFenced
		default:
			l.junk.Add(1)
		}
		l.last.Store(meta.Sequence.Stream)
	}
	return found, nil
}

// openTail follows the log from the last record known. Where nothing is left
// of what was stored since, it moves there at once.
func (l *DecisionLog) openTail(ctx context.Context) error {
	state, standing, err := l.bus.stand(ctx, l.stream, l.created, l.last.Load()+1)
	if err != nil {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	if standing != Sound && standing != Behind {
		return &StreamError{Stream: l.stream, Partition: l.partition, Standing: standing, Next: l.last.Load() + 1, State: state}
	}
	s, err := l.bus.openSession(ctx, l.stream, "loopwatch_log", l.last.Load()+1)
	if err != nil {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	if l.tail = s; s.left == 0 {
		l.last.Store(state.Last)
	}
	return nil
}

func (l *DecisionLog) closeTail() {
	if l.tail != nil {
		l.tail.close(l.bus)
		l.tail = nil
	}
}
