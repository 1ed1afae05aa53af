package fleet

import (
	"context"
	"io"
	"time"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Dump writes what the event stream of partition p holds now as a trace: in
// stream order, each event with its stored time and position. What the
// processor refused is left out and counted, so that a replay of the trace
// sees what the processor saw. A run restricts it to that run and our own
// events; empty means all.
func Dump(ctx context.Context, nb *natsbus.Bus, p int, run string, out io.Writer) (n, refused int, err error) {
	at, err := nb.EventState(ctx, p)
	if err != nil || at.Last == 0 {
		return 0, 0, err
	}
	letters, err := nb.DeadLetters(ctx, p)
	if err != nil {
		return 0, 0, err
	}
	r := nb.NewReader(natsbus.ReaderConfig{Name: "dump"})
	defer r.Close()
	if err := r.Add(p, 1, at.Created); err != nil {
		return 0, 0, err
	}
	for seq := uint64(0); seq < at.Last; {
		bound, cancel := context.WithTimeout(ctx, time.Minute)
		msgs, err := r.Fetch(bound, 1000)
		cancel()
		if err != nil {
			return n, refused, err
		}
		for i := range msgs {
			m := &msgs[i]
			if seq = m.Seq; m.IsGap() || seq > at.Last {
				continue
			}
			if letters[seq] {
				refused++
				continue
			}
			line, ok, err := traceLine(m, nb.Partitions(), run)
			switch {
			case err != nil:
				return n, refused, err
			case !ok:
				refused++
			case line != nil:
				n++
				if _, err := out.Write(append(line, '\n')); err != nil {
					return n, refused, err
				}
			}
		}
	}
	return n, refused, nil
}

// traceLine is a stored event as a trace line, nil where it is not asked for; ok is
// false where the processor refuses it.
func traceLine(m *natsbus.Msg, partitions int, run string) (line []byte, ok bool, err error) {
	e, derr := events.Decode(m.Data, events.DefaultLimit)
	place, known := events.ParsePartitionSubject(m.Subject)
	if derr != nil || !known || events.CheckIdentity(e, place, partitions) != nil {
		return nil, false, nil //nolint:nilerr // what is wrong with it lies in the dead letters
	}
	if run != "" && e.Run != run && !e.Kind.Ours() {
		return nil, true, nil
	}
	e.Stored, e.StreamSeq, e.Partition = m.Stored, m.Seq, &m.Partition
	line, err = events.Encode(e)
	return line, true, err
}
