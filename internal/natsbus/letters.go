package natsbus

import (
	"context"
	"fmt"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// DeadLetter returns the dead letter about the event at a sequence of partition
// p and when it was written, or ErrNotFound.
func (b *Bus) DeadLetter(ctx context.Context, p int, seq uint64) (body []byte, at time.Time, err error) {
	m, err := b.ask(ctx, events.DeadLetterStream, map[string]any{"last_by_subj": events.DeadLetterSubject(p, seq)})
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read dead letter %d of partition %d: %w", seq, p, err)
	}
	return m.Data, m.Time.UTC(), nil
}
