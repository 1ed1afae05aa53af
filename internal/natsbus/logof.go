package natsbus

import (
	"context"
	"errors"
	"fmt"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// LogOf calls fn for the records of one subject of partition p's decision log,
// oldest first, until fn returns false. It costs a round trip a record.
func (b *Bus) LogOf(ctx context.Context, p int, subject string, fn func(Record) bool) error {
	for seq := uint64(1); ; {
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

// record is the message as an entry of a decision log.
func (m stored) record() Record {
	return Record{Seq: m.Seq, Stored: m.Time.UTC(), Subject: m.Subject, Header: ours(m.Header), Data: m.Data}
}
