package natsbus

import (
	"context"
	"errors"
	"fmt"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// LogOfFrom is LogOf for the records from sequence seq on.
func (b *Bus) LogOfFrom(ctx context.Context, p int, subject string, seq uint64, fn func(Record) bool) error {
	for {
		m, err := b.getNext(ctx, events.ControlStream(p), subject, seq)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read decision log %d: %w", p, err)
		}
		if !fn(m.record()) {
			return nil
		}
		seq = m.Seq + 1
	}
}

// LogState says where the decision log of partition p stands.
func (b *Bus) LogState(ctx context.Context, p int) (StreamState, error) {
	return b.state(ctx, events.ControlStream(p))
}
