package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"time"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// scopeFlags select what an act covers.
type scopeFlags struct {
	Run    string `arg:"" optional:"" help:"Run; names that are not unique are listed."`
	Tenant string `help:"All runs of a tenant, or the tenant of RUN." placeholder:"NAME"`
	Agent  string `help:"All runs of an agent, or the agent of RUN." placeholder:"NAME"`
	Task   string `help:"All runs of a task, or the task of RUN." placeholder:"NAME"`
	All    bool   `help:"All runs of the fleet."`
	Yes    bool   `help:"Do not ask back."`
	By     string `help:"Who acts; default the login name."`
}

// scope is what the flags say, checked: nothing is done on a scope that is
// wider than was meant.
func (s scopeFlags) scope(io streams) (events.Scope, error) {
	scope := events.Scope{Tenant: s.Tenant, Agent: s.Agent, Task: s.Task, Run: s.Run}
	for _, name := range []string{s.Tenant, s.Agent, s.Task, s.Run} {
		if name != "" && !events.ValidName(name) {
			return scope, exit{exitUsage, fmt.Errorf("%q is no name: letters, digits, -, _ and =XX, at most %d bytes", name, events.MaxName)}
		}
	}
	switch {
	case s.All && scope != (events.Scope{}):
		return scope, exit{exitUsage, errors.New("--all stands alone: leave RUN, --tenant, --agent and --task out")}
	case s.All && !s.Yes:
		return scope, s.confirm(io)
	case !s.All && scope == (events.Scope{}):
		return scope, exit{exitUsage, errors.New("say what: RUN, --task, --agent, --tenant or --all")}
	}
	return scope, nil
}

// resolve looks a run up, so that its task is known; where several match they
// are listed and nothing is done.
func (s scopeFlags) resolve(ctx context.Context, scope events.Scope, c *fleet.Client, io streams) (events.Scope, error) {
	if s.Run == "" {
		return scope, nil
	}
	found, err := c.Details(ctx, scope)
	if err != nil {
		return scope, err
	}
	switch len(found) {
	case 0:
		return scope, fmt.Errorf("run %s is not known: loopwatch runs lists those that are", s.Run)
	case 1:
		r := found[0]
		return events.Scope{Tenant: r.Tenant, Task: r.Task, Run: r.Run.Run}, nil
	}
	for _, r := range found {
		fmt.Fprintf(io.err, "--tenant %s --task %s %s (agent %s, %s)\n", r.Tenant, r.Task, r.Run.Run, r.Agent, r.Phase)
	}
	return scope, fmt.Errorf("%d runs are named %s: say which by --tenant or --task", len(found), s.Run)
}

// confirm asks for the word that --yes stands for.
func (s scopeFlags) confirm(io streams) error {
	fmt.Fprint(io.err, "this covers every run of the fleet; type all to go on: ")
	var word string
	if _, err := fmt.Fscanln(io.in, &word); err != nil || word != "all" {
		return exit{exitUsage, errors.New("not confirmed; nothing was done")}
	}
	return nil
}

func (s scopeFlags) by() string {
	if s.By != "" {
		return s.By
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return os.Getenv("USER")
}

type haltCmd struct {
	busFlags
	scopeFlags
	Reason string        `required:"" help:"Why; it is told to the worker and kept."`
	For    time.Duration `help:"Lift the halt of a scope after this long; default never." placeholder:"2h"`
}

// Run publishes the halt and waits until it is in force.
func (c *haltCmd) Run(ctx context.Context, io streams) error {
	o := events.Operator{Action: "halt", Reason: c.Reason, By: c.by()}
	if c.For < 0 {
		return exit{exitUsage, fmt.Errorf("--for: %s is not a positive duration", c.For)}
	}
	if c.For > 0 {
		o.For = c.For.String()
	}
	return operate(ctx, c.busFlags, c.scopeFlags, o, io)
}

type resumeCmd struct {
	busFlags
	scopeFlags
	Turns int     `help:"Turns added to the budget." placeholder:"N"`
	Usd   float64 `help:"US dollars added to the budget." name:"budget" placeholder:"N"`
	Note  string  `help:"What the agent is told when it goes on."`
}

// Run publishes the resumption and waits until it is in force.
func (c *resumeCmd) Run(ctx context.Context, io streams) error {
	return operate(ctx, c.busFlags, c.scopeFlags, events.Operator{
		Action: "resume", Note: c.Note, By: c.by(),
		Add: events.Limits{MaxTurns: c.Turns, MaxCostUSD: c.Usd},
	}, io)
}

// operate carries out an act and reports on how many runs it bears now.
func operate(ctx context.Context, f busFlags, s scopeFlags, o events.Operator, io streams) error {
	scope, err := s.scope(io)
	if err != nil {
		return err
	}
	b, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	c := b.fleet()
	if o.Scope, err = s.resolve(ctx, scope, c, io); err != nil {
		return err
	}
	done, err := c.Do(ctx, o)
	if err != nil {
		return err
	}
	if o.Action == "resume" && o.Scope.Run != "" && done.Runs == 0 {
		return b.unlifted(ctx, o, io)
	}
	runs, _, err := c.Runs(ctx, o.Scope, "halted", 10_000)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(io.out, "%s of %s is in force on %d partitions; %d matching runs are halted now\n",
		o.Action, describe(o.Scope), len(done.Partitions), len(runs))
	return err
}

// describe says a scope in words.
func describe(s events.Scope) string {
	out := ""
	for _, p := range []struct{ name, value string }{{"run", s.Run}, {"task", s.Task}, {"agent", s.Agent}, {"tenant", s.Tenant}} {
		if p.value != "" {
			if out != "" {
				out += " of "
			}
			out += p.name + " " + p.value
		}
	}
	if out == "" {
		return "all runs"
	}
	return out
}
