package main

import (
	"bufio"
	"context"
	"fmt"
	"time"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/events"
)

type dumpCmd struct {
	busFlags
	Partition int    `help:"Only this partition; default all." default:"-1"`
	Of        string `name:"run" help:"Only events of this run, and our own." placeholder:"NAME"`
}

// Run writes what the event streams hold now as a trace: partition by
// partition, in stream order, each event with its stored time and position.
func (c *dumpCmd) Run(ctx context.Context, io streams) error {
	b, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	nb, err := natsbus.New(b.nc, b.partitions)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(io.out, 1<<16)
	defer out.Flush()
	total, refused := 0, 0
	for p := range b.partitions {
		if c.Partition >= 0 && p != c.Partition {
			continue
		}
		n, bad, err := c.partition(ctx, nb, p, out)
		if err != nil {
			return fmt.Errorf("dump partition %d: %w", p, err)
		}
		total, refused = total+n, refused+bad
	}
	fmt.Fprintf(io.err, "%d events written, %d refused ones left out (see the dead letters)\n", total, refused)
	return out.Flush()
}

func (c *dumpCmd) partition(ctx context.Context, nb *natsbus.Bus, p int, out *bufio.Writer) (n, refused int, err error) {
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
			line, ok, err := c.line(m, nb.Partitions())
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

// line is a stored event as a trace line, nil where it is not asked for; ok is
// false where the processor refuses it.
func (c *dumpCmd) line(m *natsbus.Msg, partitions int) (line []byte, ok bool, err error) {
	e, derr := events.Decode(m.Data, events.DefaultLimit)
	place, known := events.ParsePartitionSubject(m.Subject)
	if derr != nil || !known || events.CheckIdentity(e, place, partitions) != nil {
		return nil, false, nil
	}
	if c.Of != "" && e.Run != c.Of && !e.Kind.Ours() {
		return nil, true, nil
	}
	e.Stored, e.StreamSeq, e.Partition = m.Stored, m.Seq, &m.Partition
	line, err = events.Encode(e)
	return line, true, err
}
