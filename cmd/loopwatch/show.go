package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

type showCmd struct {
	busFlags
	Name   string `arg:"" name:"run" help:"Run."`
	Tenant string `help:"Its tenant." placeholder:"NAME"`
	Task   string `help:"Its task." placeholder:"NAME"`
	Last   int    `help:"Show at most so many calls." default:"20"`
	Output string `short:"o" help:"Output format." enum:"table,json,ndjson" default:"table"`
}

// Run prints what is remembered of a run. Its text is read from the event
// stream by position.
func (c *showCmd) Run(ctx context.Context, io streams) error {
	b, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	found, err := b.fleet().Details(ctx, events.Scope{Tenant: c.Tenant, Task: c.Task, Run: c.Name})
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("run %s is not known: loopwatch runs lists those that are", c.Name)
	}
	if len(found) > 1 {
		for _, r := range found {
			fmt.Fprintf(io.err, "--tenant %s --task %s\n", r.Tenant, r.Task)
		}
		return fmt.Errorf("%d runs are named %s: say which by --tenant or --task", len(found), c.Name)
	}
	if c.Output != "table" {
		return list(io.out, c.Output, found, "", nil)
	}
	nb, err := natsbus.New(b.nc, b.partitions)
	if err != nil {
		return err
	}
	return c.print(ctx, nb, &found[0], io)
}

func (c *showCmd) print(ctx context.Context, nb *natsbus.Bus, d *fleet.Detail, io streams) error {
	w := tabwriter.NewWriter(io.out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "run\t%s\nagent\t%s\ntask\t%s\nphase\t%s\n", d.Run.Run, d.Agent, d.Task, phase(d.Run))
	fmt.Fprintf(w, "turns\t%d\ncalls\t%d\nreported USD\t%s\n", d.Turns, d.Calls, money(d.CostUSD, d.Unpriced))
	fmt.Fprintf(w, "controls\t%d acted, %d unacknowledged, %d findings withheld\n", d.Controls, d.Unacked, d.Withheld)
	if h := d.Halt; h != nil {
		fmt.Fprintf(w, "halted by\t%s %s\n", h.Detector, strings.Join(nonEmpty(h.By, h.Reason, h.From), ", "))
	}
	for _, in := range d.Incidents {
		open := "closed"
		if in.Open {
			open = "open"
		}
		fmt.Fprintf(w, "incident\t%s %s since round %d, rung %d, %s (%s)\n", in.ID, in.Detector, in.Since, in.Rung, open, in.Reason)
	}
	if d.Truncated {
		fmt.Fprintln(w, "window\ttruncated: more distinct calls than it remembers")
	}
	fmt.Fprintln(w)
	for _, s := range d.Steps[max(0, len(d.Steps)-c.Last):] {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", s.Round, s.Code, c.text(ctx, nb, d.Partition, s.Call), c.text(ctx, nb, d.Partition, s.Answer))
	}
	return w.Flush()
}

// text says in one short line what an event of the run says.
func (c *showCmd) text(ctx context.Context, nb *natsbus.Bus, p int, seq uint64) string {
	if seq == 0 {
		return "(no result)"
	}
	m, err := nb.Event(ctx, p, seq)
	if err != nil {
		return "(no longer stored)"
	}
	e, err := events.Decode(m.Data, len(m.Data))
	if err != nil {
		return "(unreadable)"
	}
	q := actions.QuoteOf(&e)
	if e.Call != nil {
		return actions.Sanitise(q.Tool, 40) + " " + actions.Sanitise(q.Args, 80)
	}
	if q.Error != "" {
		return "error: " + actions.Sanitise(q.Error, 80)
	}
	return actions.Sanitise(q.Result, 80)
}

func nonEmpty(parts ...string) []string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}
