package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/demo"
	"github.com/loopwatch/loopwatch/internal/gateway"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

type demoCmd struct {
	Agents   int           `help:"How many agents." default:"24"`
	Seed     uint64        `help:"The same seed gives the same fleet." default:"1"`
	Duration time.Duration `help:"About how long a run up to the turn limit takes." default:"20s"`
	Policy   string        `help:"Policy file or preset." default:"default" placeholder:"FILE|PRESET"`
	HTTP     string        `name:"http" help:"Address of the HTTP API, on the loopback interface; default none." placeholder:"127.0.0.1:PORT"`
}

// Run starts a processor with everything it needs in a temporary directory and
// lets a simulated fleet loose on it.
func (c *demoCmd) Run(ctx context.Context, ios streams) (err error) {
	if c.Agents < 1 || c.Agents > 2000 || c.Duration < time.Second {
		return exit{exitUsage, fmt.Errorf("--agents: from 1 to 2000, --duration: at least 1s")}
	}
	policy, err := load(c.Policy)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "loopwatch-demo-*")
	if err != nil {
		return fmt.Errorf("make a temporary directory: %w", err)
	}
	defer func() {
		if rm := os.RemoveAll(dir); err == nil {
			err = rm
		}
	}()
	log := slog.New(slog.NewTextHandler(ios.err, &slog.HandlerOptions{Level: slog.LevelError}))
	o := app.Options{Embedded: true, Volatile: true, Data: dir, Policy: policy, Version: version(), Logger: log}
	if c.HTTP != "" {
		front, err := gateway.Options{HTTP: c.HTTP}.Load()
		if err != nil {
			return exit{exitUsage, err}
		}
		o.HTTP = &front
	}
	a, err := app.Start(ctx, o)
	if err != nil {
		return err
	}
	run, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- a.Run(run) }()
	defer func() {
		stop()
		if rerr := <-ended; err == nil {
			err = rerr
		}
		if cerr := a.Close(); err == nil {
			err = cerr
		}
	}()
	fmt.Fprintf(ios.err, "a NATS server, a processor and %d agents of these kinds:\n%s\n", c.Agents, demo.Kinds())
	return c.simulate(ctx, a, policy, ios)
}

// simulate runs the fleet under a live table and reports.
func (c *demoCmd) simulate(ctx context.Context, a *app.App, policy *actions.Policy, ios streams) error {
	select {
	case <-a.Processor.Ready():
	case <-ctx.Done():
		return ctx.Err()
	}
	var fleet demo.Fleet
	done := make(chan error, 1)
	go func() {
		done <- fleet.Run(ctx, demo.Options{
			URL: a.URL, Trusted: actions.NewKeyRing(a.Keys.Control.Public()), Guard: policy,
			Agents: c.Agents, Seed: c.Seed, Duration: c.Duration,
		})
	}()
	err := watch(&fleet, done, ios.out)
	if err != nil {
		return err
	}
	if _, err := fleet.Table(ios.out); err != nil {
		return err
	}
	return fleet.Report(ios.out)
}

// watch redraws the table on a terminal until the fleet is done.
func watch(fleet *demo.Fleet, done <-chan error, out io.Writer) error {
	t := time.NewTicker(250 * time.Millisecond)
	defer t.Stop()
	drawn := 0
	for {
		select {
		case err := <-done:
			if drawn > 0 {
				fmt.Fprintf(out, "\x1b[%dA\x1b[J", drawn)
			}
			return err
		case <-t.C:
			if !terminal(out) {
				continue
			}
			if drawn > 0 {
				fmt.Fprintf(out, "\x1b[%dA\x1b[J", drawn)
			}
			var err error
			if drawn, err = fleet.Table(out); err != nil {
				return err
			}
		}
	}
}

// terminal reports whether out is a person's screen.
func terminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
