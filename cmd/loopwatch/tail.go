package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
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
	cfg := jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverNewPolicy}
	if c.All {
		cfg.DeliverPolicy = jetstream.DeliverAllPolicy
	}
	if c.Acted {
		cfg.FilterSubjects = []string{fmt.Sprintf("lw.ctlp.%d.>", p)}
	}
	con, err := b.js.OrderedConsumer(ctx, events.ControlStream(p), cfg)
	if err != nil {
		return fmt.Errorf("read decision log %d: %w", p, err)
	}
	if !c.Follow && con.CachedInfo().NumPending == 0 {
		return nil
	}
	it, err := con.Messages()
	if err != nil {
		return fmt.Errorf("read decision log %d: %w", p, err)
	}
	defer it.Stop()
	go func() { <-ctx.Done(); it.Stop() }()
	for {
		m, err := it.Next()
		if errors.Is(err, jetstream.ErrMsgIteratorClosed) {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("read decision log %d: %w", p, err)
		}
		if !strings.Contains(m.Subject(), "._lw.") {
			select {
			case lines <- m.Data():
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if meta, err := m.Metadata(); !c.Follow && err == nil && meta.NumPending == 0 {
			return nil
		}
	}
}

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
