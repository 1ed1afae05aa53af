package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

type tailCmd struct {
	busFlags
	All    bool   `help:"Begin with the oldest decision, not with the next."`
	Follow bool   `help:"Wait for more." default:"true" negatable:""`
	Acted  bool   `help:"Only what was acted on."`
	Output string `short:"o" help:"Output format." enum:"table,ndjson" default:"table"`
}

// Run prints the decision logs as they grow.
func (c *tailCmd) Run(ctx context.Context, io streams) error {
	b, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	lines := make(chan []byte)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	errs := make(chan error, b.partitions)
	for p := range b.partitions {
		go func() { errs <- c.partition(ctx, b, p, lines) }()
	}
	for open := b.partitions; open > 0; {
		select {
		case l := <-lines:
			if err := c.print(l, io); err != nil {
				return err
			}
		case err := <-errs:
			if err != nil && !errors.Is(err, context.Canceled) {
				return err
			}
			open--
		}
	}
	return nil
}

// partition hands on the records of one decision log.
func (c *tailCmd) partition(ctx context.Context, b *bus, p int, lines chan<- []byte) error {
	log, err := b.log(ctx, p)
	if err != nil {
		return err
	}
	next := uint64(1)
	if !c.All {
		next = log.Last() + 1
	}
	for {
		err := log.ReadFrom(ctx, next, func(r natsbus.Record) error {
			next = r.Seq + 1
			if strings.Contains(r.Subject, "._lw.") || c.Acted && !strings.HasPrefix(r.Subject, "lw.ctlp.") {
				return nil
			}
			select {
			case lines <- r.Data:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		if err != nil || !c.Follow {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(tailEvery):
		}
	}
}

// tailEvery is how often the logs are looked at.
const tailEvery = 200 * time.Millisecond

// print writes one decision.
func (c *tailCmd) print(line []byte, io streams) error {
	if c.Output == "ndjson" {
		_, err := fmt.Fprintf(io.out, "%s\n", line)
		return err
	}
	var d actions.Control
	if err := json.Unmarshal(line, &d); err != nil {
		_, err := fmt.Fprintln(io.err, "a record that is not ours was passed over")
		return err
	}
	what := string(d.Kind)
	if d.Reason != actions.Acted {
		what = string(d.Reason)
	}
	_, err := fmt.Fprintf(io.out, "%s  %-18s %-12s %s/%s  %s\n", d.Time.Format("15:04:05.000"), what, d.Detector, d.Agent, d.Run, firstLine(d.Summary))
	return err
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
