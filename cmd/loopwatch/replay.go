package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/internal/ingest"
	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

type replayCmd struct {
	Policy        string    `help:"Policy file or preset; obeyed instead of the trace's own." placeholder:"FILE|PRESET"`
	Until         time.Time `help:"Let time pass up to here after a task's last event (RFC 3339)." placeholder:"TIME"`
	FailOnFinding bool      `help:"Exit with 3 when decisions were acted."`
	Output        string    `short:"o" help:"Output format." enum:"table,ndjson" default:"ndjson"`
	Format        string    `help:"Format of the files: loopwatch, openai-chat, openai-responses, anthropic, claude-code, swe-agent, otel-genai; default by content." placeholder:"FORMAT"`
	Files         []string  `arg:"" help:"Traces, or transcripts of other systems, also packed (.gz), or - for stdin." name:"file"`
}

// Run prints one decision a line and a summary on stderr.
func (c *replayCmd) Run(ctx context.Context, io streams) error {
	opts := replay.Options{Until: c.Until}
	format, err := ingest.ParseFormat(c.Format)
	if err != nil {
		return exit{code: exitUsage, err: err}
	}
	if opts.Fallback, err = actions.Preset("default"); err != nil {
		return err
	}
	if c.Policy != "" {
		if opts.Policy, err = actions.Load(c.Policy, os.ReadFile); err != nil {
			return exit{code: exitUsage, err: err}
		}
	}
	out := bufio.NewWriter(io.out)
	r, err := replay.New(opts, func(l replay.Line) error { return c.print(out, l) })
	if err != nil {
		return err
	}
	defer r.Close()
	faults, err := c.feed(ctx, r, format, io)
	if ferr := out.Flush(); err == nil {
		err = ferr
	}
	if err != nil {
		return err
	}
	s := r.Summary
	fmt.Fprintf(io.err, "%d events of %d runs replayed, %d lines unreadable, %d events refused: %d decisions acted (%d observations, %d halts, %d escalations), %d withheld\n",
		s.Events, s.Runs, faults, s.Rejected, s.Acted, s.Injected, s.Halted, s.Escalated, s.Withheld)
	switch {
	case faults > 0:
		return exit{code: exitFailed}
	case c.FailOnFinding && s.Acted > 0:
		return exit{code: exitFound}
	}
	return nil
}

// feed replays the files and counts the lines that could not be read.
func (c *replayCmd) feed(ctx context.Context, r *replay.Replay, format ingest.Format, io streams) (faults int, err error) {
	for _, name := range c.Files {
		err := ingest.ReadFile(name, io.in, format, func(e events.Event, raw []byte) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return r.Feed(e, raw)
		}, func(f replay.Fault) { faults++; fmt.Fprintln(io.err, f.Error()) })
		if err != nil {
			return faults, err
		}
	}
	return faults, r.Finish()
}

// print writes one decision.
func (c *replayCmd) print(out *bufio.Writer, l replay.Line) error {
	if c.Output == "table" {
		what := string(l.Kind)
		if l.Reason != actions.Acted {
			what = string(l.Reason)
		}
		_, err := fmt.Fprintf(out, "%-40s %6d  %-18s %-12s %s\n", l.Run, l.Seq, what, l.Detector, firstLine(l.Summary))
		return err
	}
	if err := json.MarshalWrite(out, l, json.Deterministic(true)); err != nil {
		return err
	}
	return out.WriteByte('\n')
}
