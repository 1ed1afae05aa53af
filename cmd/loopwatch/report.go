package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/ingest"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/internal/report"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

type reportCmd struct {
	busFlags
	Name   string        `arg:"" help:"tools, interventions, savings, rates, blocked, or all." enum:"tools,interventions,savings,rates,blocked,all"`
	File   []string      `help:"Report on these trace files instead of the fleet; decisions by replay." placeholder:"FILE"`
	Policy string        `help:"Policy whose rules say which calls are equal; with --file also the one obeyed instead of the trace's own." placeholder:"FILE|PRESET"`
	Since  string        `help:"Only what ended or was last heard from then on: a time (RFC 3339), or how long ago (24h)." placeholder:"TIME|DURATION"`
	Until  string        `help:"Only what ended or was last heard before then." placeholder:"TIME|DURATION"`
	Tenant string        `help:"Only this tenant." placeholder:"NAME"`
	Agent  string        `help:"Only this agent." placeholder:"NAME"`
	Within int           `help:"Turns within which a repetition has to end after an intervention." default:"10"`
	Bucket time.Duration `help:"Width of a point of the rates." default:"1h"`
	Output string        `short:"o" help:"Output format." enum:"table,json,html" default:"table"`
}

// Run sums up what the bus holds, or trace files.
func (c *reportCmd) Run(ctx context.Context, ios streams) error {
	opts, err := c.options(time.Now())
	if err != nil {
		return exit{exitUsage, err}
	}
	all, err := report.New(opts)
	if err != nil {
		return err
	}
	faults := 0
	if len(c.File) > 0 {
		faults, err = c.fromFiles(ctx, all, ios)
	} else {
		err = c.fromBus(ctx, all, ios.err)
	}
	if err != nil {
		return err
	}
	if err := c.write(ios.out, all.Finish()); err != nil {
		return err
	}
	if faults > 0 {
		return exit{code: exitFailed}
	}
	return nil
}

// options reads the flags.
func (c *reportCmd) options(now time.Time) (report.Options, error) {
	o := report.Options{Tenant: c.Tenant, Agent: c.Agent, Within: c.Within, Bucket: c.Bucket}
	var faults []error
	fault := func(flag string, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", flag, err))
		}
	}
	var err error
	o.Since, err = report.ParseTime(c.Since, now)
	fault("--since", err)
	o.Until, err = report.ParseTime(c.Until, now)
	fault("--until", err)
	if c.Within < 1 || c.Within > 1000 {
		fault("--within", fmt.Errorf("%d is not from 1 to 1000", c.Within))
	}
	if c.Bucket < time.Minute {
		fault("--bucket", fmt.Errorf("%s is below 1m", c.Bucket))
	}
	if c.Policy != "" {
		o.Policy, err = load(c.Policy)
		fault("--policy", err)
	}
	return o, errors.Join(faults...)
}

// fromFiles replays the files; faults counts the lines that could not be read.
func (c *reportCmd) fromFiles(ctx context.Context, into *report.Collector, ios streams) (faults int, err error) {
	opts := replay.Options{Message: func(m *actions.Message) error { into.Decision(m); return nil }}
	if opts.Fallback, err = actions.Preset(actions.DefaultPreset); err != nil {
		return 0, err
	}
	if c.Policy != "" {
		if opts.Policy, err = load(c.Policy); err != nil {
			return 0, exit{exitUsage, err}
		}
	}
	r, err := replay.New(opts, func(replay.Line) error { return nil })
	if err != nil {
		return 0, err
	}
	defer func() { _ = r.Close() }()
	for _, f := range c.File {
		err := ingest.ReadFile(f, ios.in, ingest.Auto, func(e events.Event, raw []byte) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			into.Event(&e)
			return r.Feed(e, raw)
		}, func(f replay.Fault) { faults++; fmt.Fprintln(ios.err, "loopwatch:", f) })
		if err != nil {
			return faults, err
		}
	}
	return faults, r.Finish()
}

// progressEvery is how often a long reading says how far it is.
const progressEvery = 2 * time.Second

// fromBus reads the streams of every partition.
func (c *reportCmd) fromBus(ctx context.Context, into *report.Collector, errw io.Writer) error {
	b, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	nb, err := natsbus.New(b.nc, b.partitions)
	if err != nil {
		return err
	}
	read, last := 0, time.Now()
	for p := range b.partitions {
		whole, err := fleet.Retell(ctx, nb, p, fleet.Listener{
			Event: func(e *events.Event) error {
				into.Event(e)
				if read++; time.Since(last) > progressEvery {
					last = time.Now()
					fmt.Fprintf(errw, "partition %d of %d, %d events read\n", p+1, b.partitions, read)
				}
				return nil
			},
			Decision: func(m *actions.Message) error { into.Decision(m); return nil },
		})
		if err != nil {
			return fmt.Errorf("report on partition %d: %w", p, err)
		}
		if !whole {
			into.Partial()
		}
	}
	fmt.Fprintf(errw, "%d events of %d partitions read\n", read, b.partitions)
	return nil
}

func (c *reportCmd) write(out io.Writer, r report.Report) error {
	r, _ = r.Only(c.Name)
	switch c.Output {
	case "json":
		if err := json.MarshalWrite(out, r, jsontext.WithIndent("  "), json.Deterministic(true)); err != nil {
			return err
		}
		_, err := fmt.Fprintln(out)
		return err
	case "html":
		return r.HTML(out)
	}
	return r.Print(out)
}
