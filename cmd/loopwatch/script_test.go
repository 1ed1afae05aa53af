package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"loopwatch": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			os.Exit(execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// The command line as it is typed.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			addr := l.Addr().String()
			env.Setenv("ADDR", addr)
			env.Setenv("NATS_URL", "nats://"+addr)
			return l.Close()
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"ready": ready, "publish": publish, "exits": exits, "serve": serve,
			"store": store, "refused": refused, "calls": calls,
		},
	})
}

// serve runs a NATS server with a configuration file until the script ends.
func serve(ts *testscript.TestScript, _ bool, args []string) {
	opts, err := server.ProcessConfigFile(ts.MkAbs(args[0]))
	ts.Check(err)
	opts.NoLog, opts.NoSigs = true, true
	s, err := server.NewServer(opts)
	ts.Check(err)
	s.Start()
	ts.Defer(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		ts.Fatalf("the server does not start")
	}
}

// exits runs a command and wants it to end with the code that stands before it.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	var failed *exec.ExitError
	got := 0
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &failed) {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if args[0] != strconv.Itoa(got) {
		ts.Fatalf("%s ends with %d, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

// ready waits until a processor answers on $NATS_URL.
func ready(ts *testscript.TestScript, _ bool, _ []string) {
	nc, err := nats.Connect(ts.Getenv("NATS_URL"), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	ts.Check(err)
	defer nc.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		c := fleet.Client{Conn: nc, Stall: 20 * time.Millisecond}
		if all, err := c.Status(ctx); err == nil && len(all) > 0 {
			return
		}
		select {
		case <-ctx.Done():
			ts.Fatalf("no processor became ready")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// publish stores a hello of run RUN of task TASK and waits until it is known.
func publish(ts *testscript.TestScript, _ bool, args []string) {
	nc, err := nats.Connect(ts.Getenv("NATS_URL"))
	ts.Check(err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	run, task := args[0], args[1]
	id := fmt.Sprintf("%s-%s-%d", run, task, time.Now().UnixNano())
	body, err := events.Encode(events.Event{
		V: 1, ID: id, Kind: events.RunStart, Tenant: "default", Agent: "support", Task: task, Run: run, Time: time.Now(), Start: &events.Start{},
	})
	ts.Check(err)
	_, err = js.Publish(ctx, events.EventSubject("default", "support", task, run), body, jetstream.WithMsgID(id))
	ts.Check(err)
	c := fleet.Client{Conn: nc, Stall: 20 * time.Millisecond}
	for {
		if found, err := c.Details(ctx, events.Scope{Run: run, Task: task}); err == nil && len(found) == 1 {
			return
		}
		select {
		case <-ctx.Done():
			ts.Fatalf("run %s does not appear", run)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
