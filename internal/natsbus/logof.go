package natsbus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// LogOf calls fn for the records of one subject of partition p's decision log,
// oldest first, until fn returns false. It costs a round trip a record.
func (b *Bus) LogOf(ctx context.Context, p int, subject string, fn func(Record) bool) error {
	stream, err := b.js.Stream(ctx, LogStream(p))
	if err != nil {
		return fmt.Errorf("read decision log %d: %w", p, err)
	}
	for seq := uint64(1); ; {
		m, err := stream.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read decision log %d: %w", p, err)
		}
		if !fn(Record{Seq: m.Sequence, Stored: m.Time.UTC(), Subject: m.Subject, Header: ours(m.Header), Data: m.Data}) {
			return nil
		}
		seq = m.Sequence + 1
	}
}
