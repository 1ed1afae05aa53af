package main

import (
	"bufio"
	"context"
	"fmt"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/natsbus"
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
		n, bad, err := fleet.Dump(ctx, nb, p, c.Of, out)
		if err != nil {
			return fmt.Errorf("dump partition %d: %w", p, err)
		}
		total, refused = total+n, refused+bad
	}
	fmt.Fprintf(io.err, "%d events written, %d refused ones left out (see the dead letters)\n", total, refused)
	return out.Flush()
}
