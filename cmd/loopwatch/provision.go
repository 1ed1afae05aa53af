package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/internal/provision"
)

type provisionCmd struct {
	busFlags
	Out        string   `help:"Directory for the server's configuration and all keys." required:"" placeholder:"DIR"`
	Tenants    []string `help:"Tenants, each with an account of its own; default those of the directory, or default." placeholder:"NAME,…"`
	Agents     []string `help:"Agents, each with a worker's key in every tenant; default those of the directory, or agent." placeholder:"NAME,…"`
	Partitions int      `help:"Partitions of a new bus; default 16." placeholder:"N"`
	Replicas   int      `help:"Copies of streams and buckets where they are made; default 1." placeholder:"N"`
	Listen     string   `help:"Address of the server; default 127.0.0.1:4222." placeholder:"HOST:PORT"`
	TLSCert    string   `name:"tls-cert" help:"The server's certificate, PEM; any address but loopback needs one." placeholder:"FILE"`
	TLSKey     string   `name:"tls-key" help:"Its key, PEM." placeholder:"FILE"`
	TLSCA      string   `name:"tls-ca" help:"Authority by which clients verify the server, PEM." placeholder:"FILE"`
	MaxStore   int64    `help:"Bytes that JetStream may use; default 64 GiB." placeholder:"BYTES"`
}

// Run writes what is missing, and with --nats or --context makes the streams
// too.
func (c *provisionCmd) Run(ctx context.Context, io streams) error {
	r, err := provision.Write(provision.Options{
		Dir: c.Out, Tenants: c.Tenants, Agents: c.Agents, Partitions: c.Partitions, Replicas: c.Replicas,
		Listen: c.Listen, TLSCert: c.TLSCert, TLSKey: c.TLSKey, TLSCA: c.TLSCA, MaxStore: c.MaxStore,
	})
	if err != nil {
		return exit{exitUsage, err}
	}
	if _, err := app.LoadKeys(filepath.Join(c.Out, "keys")); err != nil {
		return err
	}
	c.say(io.out, r)
	if c.NATS == "" && c.Context == "" {
		return nil
	}
	return c.streams(ctx, io, r)
}

// say tells what was done and what comes next.
func (c *provisionCmd) say(out io.Writer, r provision.Report) {
	for _, f := range r.Made {
		fmt.Fprintln(out, "made   ", filepath.Join(c.Out, f))
	}
	for _, f := range r.Changed {
		fmt.Fprintln(out, "changed", filepath.Join(c.Out, f))
	}
	for _, f := range r.Unknown {
		fmt.Fprintln(out, "unused ", filepath.Join(c.Out, f), "(the server will not know it any more: remove it)")
	}
	if r.Nothing() {
		fmt.Fprintln(out, "nothing has changed")
		return
	}
	fmt.Fprintf(out, "start or reload the server: nats-server -c %[1]s/nats-server.conf (--signal reload)\n"+
		"start processors:           loopwatch run --context %[2]s --keys %[1]s/keys\n", c.Out, r.Context)
}

// streams makes the streams and buckets, as a processor would.
func (c *provisionCmd) streams(ctx context.Context, io streams, r provision.Report) error {
	d := c.dial()
	d.Name = "loopwatch provision"
	if d.Creds == "" && d.NKey == "" && d.Context == "" {
		d.NKey, d.Inbox = r.Seed, r.Inbox
	}
	nc, err := natsbus.Connect(d)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return fmt.Errorf("open JetStream: %w", err)
	}
	bound, cancel := context.WithTimeout(ctx, 12*connectPatience)
	defer cancel()
	cfg := natsbus.Default()
	cfg.Partitions, cfg.Replicas = r.Partitions, r.Replicas
	n, err := natsbus.Provision(bound, js, cfg)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(io.out, "streams and buckets of %d partitions are as they must be\n", n)
	return err
}
