package main

import (
	"context"
	"fmt"
	"os"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

type policyCmd struct {
	Check policyCheckCmd `cmd:"" help:"Read a policy and name everything that is wrong with it."`
	Show  policyShowCmd  `cmd:"" help:"Print a policy with all its defaults filled in."`
	Diff  policyDiffCmd  `cmd:"" help:"Say in which settings two policies differ."`
	Push  policyPushCmd  `cmd:"" help:"Make a policy the fleet's."`
}

// load reads a policy; what is wrong with it is wrong usage.
func load(name string) (*actions.Policy, error) {
	p, err := actions.Load(name, os.ReadFile)
	if err != nil {
		return nil, exit{exitUsage, err}
	}
	return p, nil
}

type policyCheckCmd struct {
	Policy string `arg:"" help:"File or preset."`
}

// Run names every fault at once.
func (c policyCheckCmd) Run(io streams) error {
	p, err := load(c.Policy)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(io.out, "%s is fine\n", p.Ref())
	return err
}

type policyShowCmd struct {
	busFlags
	Policy string `arg:"" optional:"" help:"File or preset; default the one that was pushed."`
}

// Run prints a policy whole.
func (c policyShowCmd) Run(ctx context.Context, io streams) error {
	var p *actions.Policy
	var err error
	if c.Policy != "" {
		p, err = load(c.Policy)
	} else {
		p, err = c.pushed(ctx)
	}
	if err != nil {
		return err
	}
	text, err := p.Show()
	if err != nil {
		return err
	}
	_, err = io.out.Write(text)
	return err
}

// pushed returns the fleet's policy.
func (f busFlags) pushed(ctx context.Context) (*actions.Policy, error) {
	b, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	defer b.close()
	return app.FetchPolicy(ctx, b.js)
}

type policyDiffCmd struct {
	busFlags
	A string `arg:"" help:"File or preset."`
	B string `arg:"" optional:"" help:"File or preset; default the one that was pushed."`
}

// Run prints one line a setting that differs.
func (c policyDiffCmd) Run(ctx context.Context, io streams) error {
	a, err := load(c.A)
	if err != nil {
		return err
	}
	var b *actions.Policy
	if c.B != "" {
		b, err = load(c.B)
	} else {
		b, err = c.pushed(ctx)
	}
	if err != nil {
		return err
	}
	lines, err := actions.Diff(a, b)
	if err != nil {
		return err
	}
	for _, l := range lines {
		fmt.Fprintln(io.out, l)
	}
	return nil
}

type policyPushCmd struct {
	busFlags
	Policy string `arg:"" help:"File or preset."`
}

// Run pushes; an identical policy is no change.
func (c policyPushCmd) Run(ctx context.Context, io streams) error {
	p, err := load(c.Policy)
	if err != nil {
		return err
	}
	b, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	changed, err := app.PushPolicy(ctx, b.js, p)
	if err != nil {
		return err
	}
	if !changed {
		_, err = fmt.Fprintf(io.out, "%s was the fleet's policy already\n", p.Ref())
		return err
	}
	_, err = fmt.Fprintf(io.out, "%s is the fleet's policy; processors put it in force among the events to come\n", p.Ref())
	return err
}
