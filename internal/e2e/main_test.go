package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/escalate"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// childEnv makes the test binary a processor instead of a test: url, data
// directory, and where it sends itself a signal, if anywhere. The others say
// what instances of one fleet share.
const (
	childEnv = "LOOPWATCH_E2E_CHILD"
	keysEnv  = "LOOPWATCH_E2E_KEYS"
	leaseEnv = "LOOPWATCH_E2E_LEASE"
	tellEnv  = "LOOPWATCH_E2E_TELL" // base URL of an Alertmanager, with a webhook at /hook
)

func TestMain(m *testing.M) {
	if spec := os.Getenv(childEnv); spec != "" {
		os.Exit(child(strings.Split(spec, " ")))
	}
	os.Exit(m.Run())
}

// child runs a processor until it is stopped, or until it has passed the
// boundary `effect` for the n-th time: then it kills itself as hard as the
// system can, or freezes where the spec says stop.
func child(spec []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	o := app.Options{
		Dial: natsbus.Dial{URL: spec[0]}, Data: spec[1], Version: "test",
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	}
	o.Keys = os.Getenv(keysEnv)
	if ttl := os.Getenv(leaseEnv); ttl != "" {
		var err error
		if o.LeaseTTL, err = time.ParseDuration(ttl); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	if u := os.Getenv(tellEnv); u != "" {
		secret, err := escalate.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		o.Escalate = escalate.Options{Alertmanagers: []string{u}, Webhook: u + "/hook", AllowPrivate: true, Secrets: []escalate.Secret{secret}}
	}
	if len(spec) > 2 {
		var err error
		if o.Boundary, err = signalAt(spec[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
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

// signalAt sends this process a signal at the boundary that a spec names:
// effect:n for SIGKILL, effect:n:stop for SIGSTOP.
func signalAt(spec string) (func(string), error) {
	effect, rest, _ := strings.Cut(spec, ":")
	n, how, _ := strings.Cut(rest, ":")
	count, err := strconv.Atoi(n)
	if err != nil {
		return nil, err
	}
	var left atomic.Int64
	left.Store(int64(count))
	return func(done string) {
		if done != effect || left.Add(-1) != 0 {
			return
		}
		if how == "stop" {
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			return
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}, nil
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
