package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/natsbus"
)

// bus is a connection with what commands need of it.
type bus struct {
	nc         *nats.Conn
	js         jetstream.JetStream
	partitions int
}

// connectPatience bounds how long a command waits for a server.
const connectPatience = 5 * time.Second

// silence is how long a process that waits for the bus says nothing.
const silence = 3 * time.Second

// sayWaiting says that the bus is waited for, where that takes longer than a
// moment, until the function that it returns is called.
func sayWaiting(w io.Writer) (found func()) {
	t := time.AfterFunc(silence, func() {
		fmt.Fprintln(w, "waiting for NATS and its streams (--nats or --context say where)")
	})
	return func() { t.Stop() }
}

// open connects and finds out how many partitions there are.
func (f busFlags) open(ctx context.Context) (*bus, error) {
	d := f.dial()
	d.Name = "loopwatch command"
	nc, err := natsbus.Connect(d)
	if err != nil {
		return nil, err
	}
	bound, cancel := context.WithTimeout(ctx, connectPatience)
	defer cancel()
	b := &bus{nc: nc}
	if err := natsbus.Await(bound, nc); err != nil {
		nc.Close()
		return nil, fmt.Errorf("connect: %w (is it running? --nats or --context say where)", err)
	}
	if b.js, err = jetstream.New(nc); err == nil {
		b.partitions, err = natsbus.Inspect(bound, b.js)
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return b, nil
}

func (b *bus) close() { b.nc.Close() }

func (b *bus) fleet() *fleet.Client { return &fleet.Client{Conn: b.nc, Partitions: b.partitions} }

// log opens the decision log of a partition for reading.
func (b *bus) log(ctx context.Context, p int) (*natsbus.DecisionLog, error) {
	nb, err := natsbus.New(b.nc, b.partitions)
	if err != nil {
		return nil, err
	}
	return nb.OpenLog(ctx, p, func(natsbus.Record) bool { return false })
}
