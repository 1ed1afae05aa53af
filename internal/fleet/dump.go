package fleet

import (
	"context"
	"io"

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
	err = walk(ctx, nb, p, "dump", func(m *natsbus.Msg) error {
		if letters[m.Seq] {
			refused++
			return nil
		}
		e, ok := accepted(m, nb.Partitions())
		switch {
		case !ok:
			refused++ // what is wrong with it lies in the dead letters
			return nil
		case run != "" && e.Run != run && !e.Kind.Ours():
			return nil
		}
		line, err := events.Encode(*e)
		if err != nil {
			return err
		}
		n++
		_, err = out.Write(append(line, '\n'))
		return err
	})
	return n, refused, err
}
