package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kong"
)

// cli is the command line; every subcommand is a file of its own.
type cli struct {
	Demo      demoCmd      `cmd:"" help:"Watch a simulated fleet; needs nothing at all."`
	Run       runCmd       `cmd:"" help:"Run the processor."`
	Replay    replayCmd    `cmd:"" help:"Run recorded events through the engine and print the decisions."`
	Eval      evalCmd      `cmd:"" help:"Measure policies on labelled runs and on cases."`
	Dump      dumpCmd      `cmd:"" help:"Write the stored events as a trace."`
	Runs      runsCmd      `cmd:"" help:"List runs."`
	Show      showCmd      `cmd:"" help:"Show what is remembered of a run."`
	Export    exportCmd    `cmd:"" help:"Write a run with all that was decided on it as one file, redacted."`
	Tail      tailCmd      `cmd:"" help:"Print decisions as they are logged."`
	Halt      haltCmd      `cmd:"" help:"Halt a run, or all runs of a scope, until resumed."`
	Resume    resumeCmd    `cmd:"" help:"Lift a halt; the run starts with a fresh window."`
	Report    reportCmd    `cmd:"" help:"Sum the fleet up: repeated tools, interventions, savings, rates, blocked runs."`
	Halts     haltsCmd     `cmd:"" help:"List what is halted: scopes, and runs."`
	Detectors detectorsCmd `cmd:"" help:"Explain the detectors."`
	Policy    policyCmd    `cmd:"" help:"Check, show, compare and push policies."`
	Gateway   gatewayCmd   `cmd:"" help:"Serve workers and operators over HTTP."`
	Provision provisionCmd `cmd:"" help:"Write a NATS server's accounts, permissions and keys, and make the streams."`
	Tool      toolCmd      `cmd:"" help:"Print the definition of a tool for a model."`
	Dlq       dlqCmd       `cmd:"" help:"List, show and publish anew what was refused."`
	Doctor    doctorCmd    `cmd:"" help:"Look for what is wrong between workers and their controls."`
	Bench     benchCmd     `cmd:"" help:"Measure the processor against the bus it reads, on this machine."`
	Version   versionCmd   `cmd:"" help:"Print the version."`

	BenchServer benchServerCmd `cmd:"" hidden:""`
}

// Exit codes, as the contract names them.
const (
	exitFine   = 0
	exitFailed = 1 // something failed; wins over exitFound
	exitUsage  = 2 // wrong usage or configuration
	exitFound  = 3 // decisions were acted, with --fail-on-finding
)

// exit is an error that ends the program with a code of its own.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

// streams are where a command reads and writes: data on out, everything else
// on err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// execute runs one command line and returns its exit code.
func execute(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	var c cli
	code := -1
	errw = plain{errw}
	parser, err := kong.New(&c, kong.Name("loopwatch"), kong.Description(description),
		kong.Writers(out, errw), kong.Exit(func(n int) { code = n }), kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(streams{in: in, out: out, err: errw}))
	if err != nil {
		fmt.Fprintln(errw, "loopwatch:", err)
		return exitUsage
	}
	k, err := parser.Parse(args)
	if code >= 0 { // --help
		return code
	}
	if err != nil {
		fmt.Fprintln(errw, "loopwatch:", err)
		return exitUsage
	}
	return conclude(k.Run(), errw)
}

// conclude prints an error once and returns the exit code it asks for.
func conclude(err error, errw io.Writer) int {
	var e exit
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &e):
		if e.err != nil {
			fmt.Fprintln(errw, "loopwatch:", e.err)
		}
		return e.code
	}
	fmt.Fprintln(errw, "loopwatch:", err)
	return exitFailed
}

const description = "loopwatch watches fleets of LLM agents for repetition and tells them what remains to be tried."
