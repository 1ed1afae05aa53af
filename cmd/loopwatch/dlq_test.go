package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// dialled is a connection to $NATS_URL until the command of a script ends.
func dialled(ts *testscript.TestScript, fn func(context.Context, jetstream.JetStream)) {
	nc, err := nats.Connect(ts.Getenv("NATS_URL"))
	ts.Check(err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fn(ctx, js)
}

// eventually waits until a condition holds.
func eventually(ctx context.Context, ts *testscript.TestScript, what string, ok func() bool) {
	for !ok() {
		select {
		case <-ctx.Done():
			ts.Fatalf("waited in vain until %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// store publishes a file as an event of TASK and RUN, whatever is in it.
func store(ts *testscript.TestScript, _ bool, args []string) {
	dialled(ts, func(ctx context.Context, js jetstream.JetStream) {
		_, err := js.Publish(ctx, events.EventSubject("default", "agent", args[0], args[1]), []byte(ts.ReadFile(args[2])))
		ts.Check(err)
	})
}

// refused waits for N dead letters and sets PLACE to that of the last.
func refused(ts *testscript.TestScript, _ bool, args []string) {
	dialled(ts, func(ctx context.Context, js jetstream.JetStream) {
		n, err := natsbus.Inspect(ctx, js)
		ts.Check(err)
		nb, err := natsbus.New(js.Conn(), n)
		ts.Check(err)
		eventually(ctx, ts, args[0]+" events are refused", func() bool {
			found := 0
			for p := range n {
				all, err := fleet.Letters(ctx, nb, p, 10)
				ts.Check(err)
				for _, l := range all {
					found++
					ts.Setenv("PLACE", fmt.Sprintf("%d.%d", l.Partition, l.Seq))
				}
			}
			return args[0] == strconv.Itoa(found)
		})
	})
}

// calls waits until RUN has N calls, and nothing more is stored.
func calls(ts *testscript.TestScript, _ bool, args []string) {
	dialled(ts, func(ctx context.Context, js jetstream.JetStream) {
		c := fleet.Client{Conn: js.Conn(), Stall: 20 * time.Millisecond}
		eventually(ctx, ts, args[0]+" has "+args[1]+" calls", func() bool {
			found, err := c.Details(ctx, events.Scope{Run: args[0]})
			return err == nil && len(found) == 1 && args[1] == strconv.Itoa(found[0].Calls)
		})
	})
}
