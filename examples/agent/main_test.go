package main

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// serve starts a processor that runs a preset and returns its NATS URL.
func serve(t *testing.T, preset string) string {
	t.Helper()
	policy, err := actions.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.Start(t.Context(), app.Options{Embedded: true, Data: t.TempDir(), Policy: policy, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := a.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		stop()
		running.Wait()
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	select {
	case <-a.Processor.Ready():
	case <-time.After(30 * time.Second):
		t.Fatal("the processor does not become ready")
	}
	return a.URL
}

// The agent is told that it repeats itself and takes another way. By the rules
// of sundry the second call is not executed.
func TestAgent(t *testing.T) {
	for preset, replayed := range map[string]int{"sundry": 1, "default": 0} {
		t.Run(preset, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			var out strings.Builder
			if err := run(ctx, serve(t, preset), &out); err != nil {
				t.Fatalf("%v after\n%s", err, &out)
			}
			if n := strings.Count(out.String(), "not executed again"); n != replayed {
				t.Errorf("%d calls were replayed, want %d:\n%s", n, replayed, &out)
			}
			if !strings.HasSuffix(out.String(), "ask_seller: the seller looks for it\n") {
				t.Errorf("the agent took no other way:\n%s", &out)
			}
		})
	}
}

// While its kind is halted, the agent is told so before it does anything.
func TestHaltedAgent(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	url := serve(t, "default")
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	operators := fleet.Client{Conn: nc}
	if _, err := operators.Act(ctx, events.Operator{Action: "halt", Scope: events.Scope{Agent: "support"}, Reason: "maintenance"}); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	var halted *worker.HaltedError
	if err := run(ctx, url, &out); !errors.As(err, &halted) || out.Len() > 0 {
		t.Errorf("%v after %q, want the halt before anything", err, &out)
	}
}
