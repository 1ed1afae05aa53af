package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/internal/bench"
)

type benchCmd struct {
	What    string   `arg:"" optional:"" help:"pipeline, verdict, restart, memory, length or all." enum:"pipeline,verdict,restart,memory,length,all" default:"pipeline"`
	Seed    uint64   `help:"Of the generated fleet." default:"1"`
	Rounds  int      `help:"Measurements of each kind, alternating." default:"5"`
	Events  int      `help:"Events of a generated fleet." default:"200000"`
	Runs    int      `help:"Live runs, for restart and memory." default:"100000"`
	File    []string `help:"Recorded traces to take instead of a generated fleet." placeholder:"FILE"`
	Noise   float64  `help:"Share of the machine that others may use in a round that counts." default:"0.25"`
	Profile string   `help:"Write a CPU profile of the measurements to this file." placeholder:"FILE"`
	Output  string   `short:"o" help:"Output format." enum:"table,json" default:"table"`
}

// Run measures and prints; nothing but ratios and figures of this machine.
func (c *benchCmd) Run(ctx context.Context, io streams) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "loopwatch-bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cfg := bench.Config{
		Seed: c.Seed, Rounds: c.Rounds, Events: c.Events, Files: c.File, Noise: c.Noise, Dir: dir, Runs: c.Runs,
		Command: []string{self, "bench-server"},
		Tell:    func(format string, args ...any) { fmt.Fprintf(io.err, format, args...) },
	}
	if c.Profile != "" {
		f, err := os.Create(c.Profile)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	r := bench.NewReport(cfg)
	for _, m := range measurements {
		if c.What != m.name && c.What != "all" {
			continue
		}
		if err := m.run(ctx, cfg, r); err != nil {
			return err
		}
	}
	if c.Output == "json" {
		if err := json.MarshalWrite(io.out, r, jsontext.WithIndent("  "), json.Deterministic(true)); err != nil {
			return err
		}
		_, err := fmt.Fprintln(io.out)
		return err
	}
	r.Print(io.out)
	return nil
}

// measurements in the order in which all of them run.
var measurements = []struct {
	name string
	run  func(context.Context, bench.Config, *bench.Report) error
}{
	{"pipeline", bench.Pipeline},
	{"verdict", bench.Verdict},
	{"restart", bench.Restart},
	{"memory", bench.Memory},
	{"length", bench.Length},
}

// benchServerCmd is the server under measurement, in a process of its own.
type benchServerCmd struct {
	Dir string `arg:""`
}

// Run serves until its input ends.
func (c *benchServerCmd) Run(io streams) error { return bench.Serve(c.Dir, io.in, io.out) }
