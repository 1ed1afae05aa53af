package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

type exportCmd struct {
	busFlags
	Name   string `arg:"" name:"run" help:"Run."`
	Tenant string `help:"Its tenant." placeholder:"NAME"`
	Task   string `help:"Its task." placeholder:"NAME"`
	Out    string `help:"File to write, - for stdout; default RUN.case.json. One that exists is not overwritten." placeholder:"FILE"`
	Raw    bool   `help:"Leave secrets in. Without it they are replaced by digests that are equal where the secrets are."`
}

// exported is the whole case of one run in one file. It has the members of a
// case, so that `loopwatch eval --cases` takes it once what is expected was
// written into it.
type exported struct {
	Case      string            `json:"case"`
	Title     string            `json:"title"`
	Version   string            `json:"version"` // of what wrote it
	Exported  time.Time         `json:"exported"`
	Redacted  bool              `json:"redacted"`
	Policy    policyOf          `json:"policy"`    // in force when it was written
	Run       fleet.Detail      `json:"run"`       // what is remembered of it
	Decisions []actions.Control `json:"decisions"` // as they were logged, acted and withheld
	Events    []events.Event    `json:"events"`    // of the run, with operators' acts, in the order of their stream
}

type policyOf struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
	YAML   string `json:"yaml"`
}

// Run writes a run with everything that was decided on it as one file.
func (c *exportCmd) Run(ctx context.Context, io streams) error {
	b, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	d, err := b.one(ctx, events.Scope{Tenant: c.Tenant, Task: c.Task, Run: c.Name}, io.err)
	if err != nil {
		return err
	}
	x, err := c.collect(ctx, b, d)
	if err != nil {
		return err
	}
	out := io.out
	if c.Out == "" {
		c.Out = d.Run.Run + ".case.json"
	}
	if c.Out != "-" {
		f, err := os.OpenFile(c.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("write case: %w: name another with --out", err)
		}
		defer func() { _ = f.Close() }()
		out = f
	}
	if err := json.MarshalWrite(out, x, json.Deterministic(true), jsontext.SpaceAfterComma(false)); err != nil {
		return fmt.Errorf("write case: %w", err)
	}
	if _, err := fmt.Fprintln(out); err != nil {
		return fmt.Errorf("write case: %w", err)
	}
	fmt.Fprintf(io.err, "%d events and %d decisions of run %s written to %s%s\n", len(x.Events), len(x.Decisions), d.Run.Run, c.Out, c.warning())
	return nil
}

func (c *exportCmd) warning() string {
	if c.Raw {
		return ", secrets and all"
	}
	return "; secrets that are recognised are replaced, read it before you hand it on"
}

func (c *exportCmd) collect(ctx context.Context, b *bus, d *fleet.Detail) (*exported, error) {
	nb, err := natsbus.New(b.nc, b.partitions)
	if err != nil {
		return nil, err
	}
	story, err := fleet.Tell(ctx, nb, &d.Run, 0)
	if err != nil {
		return nil, err
	}
	p, err := app.FetchPolicy(ctx, b.js)
	if err != nil {
		return nil, err
	}
	x := &exported{
		Case: d.Run.Run, Title: "run " + d.Run.Run + " of agent " + d.Agent, Version: version(), Exported: time.Now().UTC(),
		Redacted: !c.Raw, Policy: policyOf{p.Name, p.Digest, p.YAML}, Run: *d, Events: story.Events, Decisions: story.Records,
	}
	if c.Raw {
		return x, nil
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	for i := range x.Events {
		worker.Redact(&x.Events[i], key)
	}
	for i := range x.Decisions {
		redactDecision(&x.Decisions[i], key)
	}
	if h := x.Run.Halt; h != nil {
		h.Reason = worker.RedactText(h.Reason, key)
	}
	return x, nil
}

// redactDecision takes the secrets out of what a decision quotes.
func redactDecision(d *actions.Control, key []byte) {
	d.Summary = worker.RedactText(d.Summary, key)
	if o := d.Observation; o != nil {
		d.Observation = &actions.Observation{Role: o.Role, Content: worker.RedactText(o.Content, key)}
	}
}
