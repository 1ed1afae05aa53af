package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/ingest"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/internal/timeline"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

type showCmd struct {
	busFlags
	Name   string   `arg:"" name:"run" help:"Run."`
	Tenant string   `help:"Its tenant." placeholder:"NAME"`
	Task   string   `help:"Its task." placeholder:"NAME"`
	File   []string `help:"Show a run of these trace files instead of the fleet's." placeholder:"FILE"`
	Policy string   `help:"With --file: the policy to judge it by; default the trace's own." placeholder:"FILE|PRESET"`
	Last   int      `help:"Show at most so many calls; 0 for all that is stored." default:"20"`
	Output string   `short:"o" help:"Output format." enum:"table,json,ndjson" default:"table"`
}

// Run prints a run as a timeline: equal calls under the same code, decisions
// beside the events that caused them. Text is read from the event stream by
// position, or from the files; the store holds none.
func (c *showCmd) Run(ctx context.Context, ios streams) error {
	if len(c.File) > 0 {
		return c.fromFiles(ios)
	}
	if c.Policy != "" {
		return exit{exitUsage, errors.New("--policy: only with --file; a fleet's runs are judged by the fleet's policy")}
	}
	b, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	d, err := b.one(ctx, events.Scope{Tenant: c.Tenant, Task: c.Task, Run: c.Name}, ios.err)
	if err != nil {
		return err
	}
	nb, err := natsbus.New(b.nc, b.partitions)
	if err != nil {
		return err
	}
	from := uint64(0)
	if c.Last > 0 {
		from = d.From(c.Last)
	}
	story, err := fleet.Tell(ctx, nb, &d.Run, from)
	if err != nil {
		return err
	}
	policy, err := actions.Preset(actions.DefaultPreset)
	if err != nil {
		return err
	}
	switch c.Output {
	case "json":
		return list(ios.out, c.Output, []shown{{*d, c.entries(story.Events, story.Decided, policy)}}, "", nil)
	case "table":
		if err := head(ios.out, d); err != nil {
			return err
		}
	}
	return c.print(ios.out, story.Events, story.Decided, policy)
}

// shown is a run of the fleet with its timeline.
type shown struct {
	fleet.Detail
	Timeline []timeline.Entry `json:"timeline"`
}

// one returns the one run of that name, or says which there are.
func (b *bus) one(ctx context.Context, scope events.Scope, err io.Writer) (*fleet.Detail, error) {
	found, ferr := b.fleet().Details(ctx, scope)
	switch {
	case ferr != nil:
		return nil, ferr
	case len(found) == 0:
		return nil, fmt.Errorf("run %s is not known: loopwatch runs lists those that are", scope.Run)
	case len(found) > 1:
		for _, r := range found {
			fmt.Fprintf(err, "--tenant %s --task %s\n", r.Tenant, r.Task)
		}
		return nil, fmt.Errorf("%d runs are named %s: say which by --tenant or --task", len(found), scope.Run)
	}
	return &found[0], nil
}

// fromFiles replays the files and shows the run beside what was decided on it.
func (c *showCmd) fromFiles(ios streams) error {
	opts := replay.Options{}
	var err error
	if opts.Fallback, err = actions.Preset(actions.DefaultPreset); err != nil {
		return err
	}
	fold := opts.Fallback
	if c.Policy != "" {
		if opts.Policy, err = load(c.Policy); err != nil {
			return exit{exitUsage, err}
		}
		fold = opts.Policy
	}
	var told []events.Event
	var decided []replay.Line
	r, err := replay.New(opts, func(l replay.Line) error {
		if l.Run == c.Name {
			decided = append(decided, l)
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	faults := 0
	for _, f := range c.File {
		err := ingest.ReadFile(f, ios.in, ingest.Auto, func(e events.Event, raw []byte) error {
			if c.means(&e) {
				told = append(told, e)
			}
			return r.Feed(e, raw)
		}, func(f replay.Fault) { faults++; fmt.Fprintln(ios.err, "loopwatch:", f) })
		if err != nil {
			return err
		}
	}
	if err := r.Finish(); err != nil {
		return err
	}
	if len(told) == 0 {
		return fmt.Errorf("run %s is not in %s", c.Name, strings.Join(c.File, ", "))
	}
	if err := c.print(ios.out, told, decided, fold); err != nil || faults == 0 {
		return err
	}
	return exit{code: exitFailed}
}

// means reports whether an event of a trace belongs to what is asked for.
func (c *showCmd) means(e *events.Event) bool {
	if e.Kind == events.OperatorAct {
		return true
	}
	return e.Run == c.Name && (c.Tenant == "" || e.Tenant == c.Tenant) && (c.Task == "" || e.Task == c.Task)
}

func (c *showCmd) entries(told []events.Event, decided []replay.Line, fold *actions.Policy) []timeline.Entry {
	return timeline.Last(timeline.Build(told, decided, features.New(fold.Features(features.Key{}))), c.Last)
}

// print writes the timeline.
func (c *showCmd) print(out io.Writer, told []events.Event, decided []replay.Line, fold *actions.Policy) error {
	entries := c.entries(told, decided, fold)
	if c.Output == "table" {
		return timeline.Print(out, entries)
	}
	return list(out, c.Output, entries, "", nil)
}

// head writes what is remembered of a run beside its events.
func head(out io.Writer, d *fleet.Detail) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "run\t%s\nagent\t%s\ntask\t%s\nphase\t%s\n", d.Run.Run, d.Agent, d.Task, phase(d.Run))
	fmt.Fprintf(w, "turns\t%d\ncalls\t%d\nreported USD\t%s\n", d.Turns, d.Calls, money(d.CostUSD, d.Unpriced))
	fmt.Fprintf(w, "controls\t%d acted, %d unacknowledged, %d findings withheld\n", d.Controls, d.Unacked, d.Withheld)
	if h := d.Halt; h != nil {
		fmt.Fprintf(w, "halted by\t%s %s\n", h.Detector,
			actions.Sanitise(strings.Join(nonEmpty(h.By, h.Reason, h.From), ", "), 300))
	}
	if d.Awaiting {
		fmt.Fprintf(w, "awaiting\ta person: loopwatch resume, or loopwatch halt to say that it stays halted\n")
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
	return w.Flush()
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
