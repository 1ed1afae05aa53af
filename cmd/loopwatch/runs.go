package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/pkg/events"
)

type runsCmd struct {
	busFlags
	Tenant string `help:"Only this tenant." placeholder:"NAME"`
	Agent  string `help:"Only this agent." placeholder:"NAME"`
	Task   string `help:"Only this task." placeholder:"NAME"`
	Phase  string `help:"Only runs that are live, ended, lost, halted, or halted and awaiting a person." enum:"live,ended,lost,halted,awaiting," default:""`
	Limit  int    `help:"At most so many." default:"1000"`
	Output string `short:"o" help:"Output format." enum:"table,json,ndjson" default:"table"`
}

// Run lists the runs that the fleet's processors remember.
func (c *runsCmd) Run(ctx context.Context, io streams) error {
	b, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	scope := events.Scope{Tenant: c.Tenant, Agent: c.Agent, Task: c.Task}
	runs, partial, err := b.fleet().Runs(ctx, scope, c.Phase, c.Limit)
	if err != nil {
		return err
	}
	if partial {
		fmt.Fprintln(io.err, "partial: not every partition has a processor that answered")
	}
	return list(io.out, c.Output, runs, "RUN\tAGENT\tTASK\tPHASE\tTURNS\tCALLS\tUSD\tFIRED\tLAST EVENT", func(r fleet.Run) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s", r.Run, r.Agent, r.Task, phase(r), r.Turns, r.Calls,
			money(r.CostUSD, r.Unpriced), dash(r.Detector), r.LastEvent.Format(time.RFC3339))
	})
}

// phase says how a run stands, in one word.
func phase(r fleet.Run) string {
	switch {
	case r.Awaiting:
		return "awaiting"
	case r.Halted:
		return "halted"
	case r.Status != "" && r.Phase == "ended":
		return r.Status
	}
	return r.Phase
}

// money says a reported cost, with a + where turns reported none.
func money(usd float64, unpriced int) string {
	s := strconv.FormatFloat(usd, 'f', 2, 64)
	if unpriced > 0 {
		s += "+"
	}
	return s
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// list prints values as a table, as one JSON array or as one JSON object a
// line.
func list[T any](out io.Writer, format string, values []T, head string, row func(T) string) error {
	switch format {
	case "json":
		if values == nil {
			values = []T{}
		}
		if err := json.MarshalWrite(out, values, jsontext.WithIndent("  "), json.Deterministic(true)); err != nil {
			return err
		}
		_, err := fmt.Fprintln(out)
		return err
	case "ndjson":
		for _, v := range values {
			if err := json.MarshalWrite(out, v, json.Deterministic(true)); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(out); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, head)
	for _, v := range values {
		fmt.Fprintln(w, row(v))
	}
	return w.Flush()
}
