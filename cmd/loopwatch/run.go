package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// busFlags say which NATS a command talks to, as natscli has them.
type busFlags struct {
	NATS    string `name:"nats" help:"NATS servers; without it and --context, $NATS_CONTEXT or $NATS_URL." placeholder:"URL"`
	Context string `name:"context" help:"natscli context, or the path of one (FILE.json)." placeholder:"NAME"`
	Creds   string `help:"Credentials file." placeholder:"FILE" env:"NATS_CREDS"`
	NKey    string `name:"nkey" help:"File of an nkey seed." placeholder:"FILE" env:"NATS_NKEY"`
	Inbox   string `name:"inbox-prefix" help:"Prefix of inboxes, where permissions demand one." placeholder:"SUBJECT" env:"NATS_INBOX_PREFIX"`
	TLSCA   string `name:"tlsca" help:"Authority the NATS server is verified by, PEM." placeholder:"FILE" env:"NATS_CA"`
	TLSCert string `name:"tlscert" help:"Certificate for the NATS server, PEM." placeholder:"FILE" env:"NATS_CERT"`
	TLSKey  string `name:"tlskey" help:"Its key, PEM." placeholder:"FILE" env:"NATS_KEY"`
}

// dial says where to connect. A flag stands before what the environment says
// of either, and a context named there before a URL.
func (f busFlags) dial() natsbus.Dial {
	if f.NATS == "" && f.Context == "" {
		if f.Context = os.Getenv("NATS_CONTEXT"); f.Context == "" {
			f.NATS = os.Getenv("NATS_URL")
		}
	}
	return natsbus.Dial{
		URL: f.NATS, Context: f.Context, Creds: f.Creds, NKey: f.NKey, Inbox: f.Inbox,
		TLSCA: f.TLSCA, TLSCert: f.TLSCert, TLSKey: f.TLSKey,
	}
}

type runCmd struct {
	busFlags
	frontFlags
	tellFlags
	HTTP     string   `name:"http" help:"Address of the HTTP API; default none." placeholder:"HOST:PORT"`
	Embedded bool     `help:"Bring a NATS server of our own, with JetStream in the data directory."`
	Listen   string   `help:"Address on which the embedded server takes clients." placeholder:"HOST:PORT"`
	Data     string   `help:"Directory for state and keys." default:"loopwatch-data" placeholder:"DIR"`
	Policy   string   `help:"Policy file or preset, pushed at start; with --embedded only." placeholder:"FILE|PRESET"`
	Ops      string   `help:"Address of /metrics, /livez and /readyz." placeholder:":PORT"`
	Instance string   `help:"Name of this process; default host name and a random part."`
	Agent    []string `help:"Agents named in metrics; all others count as _other." placeholder:"NAME"`
	Tool     []string `help:"Tools named in metrics; all others count as _other." placeholder:"NAME"`
	Verbose  bool     `short:"v" help:"Log more."`

	Keys          string        `help:"Directory of keys that all instances of a fleet share; default keys in the data directory." placeholder:"DIR"`
	Trust         []string      `help:"Public key that is believed beside our own, while one replaces another." placeholder:"FILE"`
	TrustOperator []string      `name:"trust-operator" help:"Public key whose operators' acts are obeyed, as that of a gateway." placeholder:"FILE"`
	LeaseTTL      time.Duration `name:"lease-ttl" help:"How long a lease lasts unrenewed, 1s to 1m; default the fleet's, 2.5s for a new one." placeholder:"DURATION"`
	Replicas      int           `help:"Copies of streams and buckets where they are made." default:"1"`
}

// Run runs the processor until it is told to stop.
func (c *runCmd) Run(ctx context.Context, io streams) error {
	level := slog.LevelInfo
	if c.Verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(io.err, &slog.HandlerOptions{Level: level}))
	o := app.Options{
		Embedded: c.Embedded, Listen: c.Listen, Dial: c.dial(), Data: c.Data, Ops: c.Ops,
		Instance: c.Instance, Version: version(), Agents: c.Agent, Tools: c.Tool, Logger: log,
	}
	if err := c.share(&o); err != nil {
		return exit{code: exitUsage, err: err}
	}
	if c.Embedded && o.Listen == "" {
		o.Listen = "127.0.0.1:4222"
	}
	var unfit error
	if c.HTTP != "" {
		front, err := c.front(c.HTTP)
		o.HTTP, unfit = &front, err
	}
	if c.Policy != "" {
		p, err := actions.Load(c.Policy, os.ReadFile)
		if err != nil {
			return exit{code: exitUsage, err: err}
		}
		o.Policy = p
	}
	told, untold := c.tell()
	o.Escalate = told
	if err := errors.Join(unfit, untold, o.Validate()); err != nil {
		return exit{code: exitUsage, err: err}
	}
	started := sayWaiting(io.err)
	a, err := app.Start(ctx, o)
	started()
	if err != nil {
		return err
	}
	go func() {
		select {
		case <-a.Processor.Ready():
			fmt.Fprintf(io.err, "ready: %s owns %d partitions%s\n", version(), len(a.Processor.Status()), where(a))
		case <-ctx.Done():
		}
	}()
	err = a.Run(ctx)
	if cerr := a.Close(); err == nil {
		err = cerr
	}
	return err
}

// share sets what concerns instances beside this one.
func (c *runCmd) share(o *app.Options) error {
	o.Keys, o.LeaseTTL, o.Replicas = c.Keys, c.LeaseTTL, c.Replicas
	var err, oerr error
	o.Trusted, err = readKeys("--trust", c.Trust)
	o.Operators, oerr = readKeys("--trust-operator", c.TrustOperator)
	return errors.Join(err, oerr)
}

// where says how to reach what was started.
func where(a *app.App) string {
	s := ""
	if a.URL != "" {
		s += ", NATS at " + a.URL
	}
	if a.HTTPURL != "" {
		s += ", API at " + a.HTTPURL
	}
	if a.OpsAddr != "" {
		s += ", metrics at http://" + a.OpsAddr + "/metrics"
	}
	return s
}
