package natsbus

import (
	"context"
	"fmt"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// LogOf calls fn for the records of one subject of partition p's decision log,
// oldest first, until fn returns false. It costs a round trip a record.
func (b *Bus) LogOf(ctx context.Context, p int, subject string, fn func(Record) bool) error {
	return b.LogOfFrom(ctx, p, subject, 1, fn)
}

// NewestOf returns the newest record of one subject of partition p's decision
// log, or ErrNotFound.
func (b *Bus) NewestOf(ctx context.Context, p int, subject string) (Record, error) {
	m, err := b.ask(ctx, events.ControlStream(p), map[string]any{"last_by_subj": subject})
	if err != nil {
		return Record{}, fmt.Errorf("read decision log %d: %w", p, err)
	}
	return m.record(), nil
}

// record is the message as an entry of a decision log.
func (m stored) record() Record {
	return Record{Seq: m.Seq, Stored: m.Time.UTC(), Subject: m.Subject, Header: ours(m.Header), Data: m.Data}
}
