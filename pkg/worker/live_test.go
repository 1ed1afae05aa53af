package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// live is a processor with a NATS server of its own, in this process.
type live struct {
	app  *app.App
	nc   *nats.Conn
	stop func() error
}

// serve starts a processor that runs a preset and returns when it is ready.
func serve(preset string) (*live, error) {
	policy, err := actions.Preset(preset)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "loopwatch-worker-*")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	a, err := app.Start(ctx, app.Options{Embedded: true, Data: dir, Policy: policy, Version: "test"})
	if err != nil {
		cancel()
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	var running sync.WaitGroup
	var rerr error
	running.Go(func() { rerr = a.Run(ctx) })
	l := &live{app: a}
	l.stop = func() error {
		if l.nc != nil {
			l.nc.Close()
		}
		cancel()
		running.Wait()
		return errors.Join(rerr, a.Close(), os.RemoveAll(dir))
	}
	<-a.Processor.Ready()
	if l.nc, err = nats.Connect(a.URL, nats.MaxReconnects(-1)); err != nil {
		return nil, errors.Join(err, l.stop())
	}
	return l, nil
}

// connect serves a preset for an example.
func connect(preset string) (nc *nats.Conn, stop func()) {
	l, err := serve(preset)
	if err != nil {
		panic(err)
	}
	return l.nc, func() {
		if err := l.stop(); err != nil {
			panic(err)
		}
	}
}

// Several runs with several calls at once each: every event arrives, in order,
// and is answered.
func TestConcurrently(t *testing.T) {
	l, err := serve("default")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.stop(); err != nil {
			t.Error(err)
		}
	}()
	const runs, callers, calls = 4, 4, 10
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			r, err := worker.Start(testContext(t), worker.Config{Conn: l.nc, Run: fmt.Sprint("r", i), Task: "t1", Wait: long, Linger: patience})
			if err != nil {
				t.Error(err)
				return
			}
			var inside sync.WaitGroup
			for c := range callers {
				inside.Go(func() { work(t, r, c, calls) })
			}
			inside.Wait()
			if err := r.End(testContext(t), events.Done, ""); err != nil || r.Dropped() > 0 {
				t.Errorf("End: %v, %d dropped", err, r.Dropped())
			}
		})
	}
	wg.Wait()
	for _, r := range ended(t, l.nc, runs) {
		if r.Calls != callers*calls || r.Gaps != 0 || r.Status != "done" {
			t.Errorf("%+v", r)
		}
	}
}

// ended waits until the processor has seen n runs end.
func ended(t *testing.T, nc *nats.Conn, n int) []fleet.Run {
	t.Helper()
	client := fleet.Client{Conn: nc}
	for ctx := testContext(t); ; {
		all, _, err := client.Runs(ctx, events.Scope{}, "ended", 100)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) == n {
			return all
		}
	}
}

// work is one of several callers of a run.
func work(t *testing.T, r *worker.Run, caller, calls int) {
	for n := range calls {
		args := map[string]int{"caller": caller, "page": n}
		out, err := r.Do(testContext(t), "read", args, func(context.Context) (any, error) { return 1000*caller + n, nil })
		if err != nil || out.Text() != fmt.Sprint(1000*caller+n) {
			t.Errorf("Do: %+v, %v", out, err)
		}
		_ = r.Observations()
		if err := r.Message("assistant", "", fmt.Sprint("page ", n, " of ", caller)); err != nil {
			t.Error(err)
		}
	}
}
