package natsbus

import (
	"context"
	"errors"
	"fmt"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// EventsOf calls fn for the stored events of one subject of partition p from
// sequence seq to sequence last, oldest first, until fn returns false. It makes
// no consumer, so whoever may only read may call it; it costs a round trip an
// event.
func (b *Bus) EventsOf(ctx context.Context, p int, subject string, seq, last uint64, fn func(Msg) bool) error {
	for seq <= last {
		m, err := b.getNext(ctx, events.EventStream(p), subject, seq)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read events of partition %d: %w", p, err)
		}
		if m.Seq > last || !fn(Msg{Partition: p, Seq: m.Seq, Stored: m.Time.UTC(), Subject: m.Subject, Data: m.Data}) {
			return nil
		}
		seq = m.Seq + 1
	}
	return nil
}
