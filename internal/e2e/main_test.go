package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// childEnv makes the test binary a processor instead of a test: url, data
// directory, and where it kills itself, if anywhere.
const childEnv = "LOOPWATCH_E2E_CHILD"

func TestMain(m *testing.M) {
	if spec := os.Getenv(childEnv); spec != "" {
		os.Exit(child(strings.Split(spec, " ")))
	}
	os.Exit(m.Run())
}

// child runs a processor until it is stopped, or until it has passed the
// boundary `effect` for the n-th time: then it kills itself as hard as the
// system can.
func child(spec []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	o := app.Options{
		Dial: natsbus.Dial{URL: spec[0]}, Data: spec[1], Version: "test",
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	}
	if len(spec) > 2 {
		effect, n, _ := strings.Cut(spec[2], ":")
		left, err := strconv.Atoi(n)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		o.Boundary = func(done string) {
			if done != effect {
				return
			}
			if left--; left == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
	}
	a, err := app.Start(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go func() {
		select {
		case <-a.Processor.Ready():
			fmt.Println("ready")
		case <-ctx.Done():
		}
	}()
	err = a.Run(ctx)
	if cerr := a.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// preset returns a preset's policy, for tests that push one.
func preset(t *testing.T, name string) *actions.Policy {
	t.Helper()
	p, err := actions.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
