package main

import (
	"cmp"
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

type haltsCmd struct {
	busFlags
	Tenant string `help:"Only those that could cover runs of this tenant." placeholder:"NAME"`
	Agent  string `help:"Of this agent." placeholder:"NAME"`
	Task   string `help:"Of this task." placeholder:"NAME"`
	Limit  int    `help:"At most so many halted runs." default:"1000"`
	Output string `short:"o" help:"Output format." enum:"table,json" default:"table"`
}

// halted is what is halted now.
type halted struct {
	Halts   []fleet.ScopeHalt `json:"halts"` // by scope: they cover runs to come as well
	Runs    []fleet.Run       `json:"runs"`  // that are halted, by whatever halt
	Partial bool              `json:"partial"`
}

// Run lists the halts by scope that are in force, and the runs that are halted.
func (c *haltsCmd) Run(ctx context.Context, io streams) error {
	b, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	scope := events.Scope{Tenant: c.Tenant, Agent: c.Agent, Task: c.Task}
	out := halted{Halts: []fleet.ScopeHalt{}, Runs: []fleet.Run{}}
	halts, partial, err := b.fleet().Halts(ctx, scope)
	if err != nil {
		return err
	}
	runs, less, err := b.fleet().Runs(ctx, scope, "halted", c.Limit)
	if err != nil {
		return err
	}
	out.Halts, out.Runs, out.Partial = append(out.Halts, halts...), append(out.Runs, runs...), partial || less
	if out.Partial {
		fmt.Fprintln(io.err, "partial: not every partition has a processor that answered")
	}
	if c.Output == "json" {
		if err := json.MarshalWrite(io.out, out, jsontext.WithIndent("  "), json.Deterministic(true)); err != nil {
			return err
		}
		_, err := fmt.Fprintln(io.out)
		return err
	}
	return out.print(io)
}

func (h *halted) print(io streams) error {
	w := tabwriter.NewWriter(io.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "HALTED\tBY\tREASON\tUNTIL\tLIFTED BY")
	for _, s := range h.Halts {
		fmt.Fprintf(w, "%s, and those to come\t%s\t%s\tloopwatch resume %s\n",
			describe(s.Scope), whose(s.By, s.Reason), until(s.Until), flagsOf(s.Scope))
	}
	for i := range h.Runs {
		r := &h.Runs[i]
		h := r.Halt
		if h == nil {
			h = &fleet.HaltInfo{Detector: r.Detector} // of a processor that does not say more
		}
		reason := h.Reason
		if h.From != "" {
			reason = "with run " + h.From
		}
		fmt.Fprintf(w, "run %s of task %s\t%s\t%s\tloopwatch resume %s\n", r.Run, r.Task, whose(cmp.Or(h.By, h.Detector), reason), until(h.Until), r.Run)
	}
	return w.Flush()
}

// whose says who halted and why, as two cells.
func whose(by, reason string) string {
	return dash(actions.Sanitise(by, 64)) + "\t" + dash(actions.Sanitise(reason, 200))
}

func until(t time.Time) string {
	if t.IsZero() {
		return "resumed"
	}
	return t.Format(time.RFC3339)
}

// flagsOf says a scope as the command line takes it.
func flagsOf(s events.Scope) string {
	out := ""
	for _, p := range []struct{ flag, value string }{{"--tenant", s.Tenant}, {"--agent", s.Agent}, {"--task", s.Task}} {
		if p.value != "" {
			out += " " + p.flag + " " + p.value
		}
	}
	if out == "" {
		return "--all"
	}
	return out[1:]
}
