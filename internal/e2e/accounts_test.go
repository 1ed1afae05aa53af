package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/internal/provision"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// accounts is a server that runs with exactly what provision wrote, and a
// processor on it.
type accounts struct {
	t      *testing.T
	dir    string
	report provision.Report
	app    *app.App
}

// newAccounts starts both. Its tenants are a and b, its agents support and
// coder.
func newAccounts(t *testing.T) *accounts {
	t.Helper()
	x := &accounts{t: t, dir: filepath.Join(t.TempDir(), "out")}
	var err error
	x.report, err = provision.Write(provision.Options{
		Dir: x.dir, Tenants: []string{"a", "b"}, Agents: []string{"support", "coder"}, Partitions: partitions, Listen: freeAddress(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	opts, err := server.ProcessConfigFile(filepath.Join(x.dir, "nats-server.conf"))
	if err != nil {
		t.Fatal(err)
	}
	opts.NoLog, opts.NoSigs = true, true
	s, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("the server does not start")
	}
	js := x.js("processor")
	cfg := natsbus.Default()
	cfg.Partitions = partitions
	if _, err := natsbus.Provision(t.Context(), js, cfg); err != nil {
		t.Fatal(err)
	}
	if _, err := app.PushPolicy(t.Context(), x.js("operator"), preset(t, "sundry")); err != nil {
		t.Fatal(err)
	}
	x.run()
	return x
}

// run starts a processor with the processors' context.
func (x *accounts) run() {
	t := x.t
	t.Helper()
	a, err := app.Start(t.Context(), app.Options{
		Dial: natsbus.Dial{Context: x.report.Context}, Data: t.TempDir(), Keys: filepath.Join(x.dir, "keys"), Version: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the processor stopped with: %v", err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	select {
	case <-a.Processor.Ready():
	case err := <-done:
		done <- err
		t.Fatalf("the processor ended: %v", err)
	case <-time.After(patience):
		t.Fatal("the processor does not become ready")
	}
	x.app = a
}

// connect is a connection as a user, by the context that provision wrote.
func (x *accounts) connect(user string) *nats.Conn {
	x.t.Helper()
	nc, err := natsbus.Connect(natsbus.Dial{Context: filepath.Join(x.dir, "contexts", user+".json"), Name: user})
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(nc.Close)
	if err := natsbus.Await(x.bounded(), nc); err != nil {
		x.t.Fatal(err)
	}
	return nc
}

func (x *accounts) bounded() context.Context {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.t.Context(), patience)
	x.t.Cleanup(cancel)
	return ctx
}

func (x *accounts) js(user string) jetstream.JetStream {
	x.t.Helper()
	js, err := jetstream.New(x.connect(user))
	if err != nil {
		x.t.Fatal(err)
	}
	return js
}

func (x *accounts) fleet(user string) *fleet.Client {
	return &fleet.Client{Conn: x.connect(user), Partitions: partitions, Stall: 50 * time.Millisecond}
}

// worker starts a run of an agent with that agent's credentials.
func (x *accounts) worker(cfg worker.Config) *worker.Run {
	x.t.Helper()
	text, err := os.ReadFile(filepath.Join(x.dir, "keys", "control.pub"))
	if err != nil {
		x.t.Fatal(err)
	}
	key, err := actions.ParsePublicKey(string(text))
	if err != nil {
		x.t.Fatal(err)
	}
	if cfg.Conn == nil {
		cfg.Conn = x.connect("worker." + cfg.Tenant + "." + cfg.Agent)
	}
	cfg.Wait, cfg.Trusted = patience, actions.NewKeyRing(key)
	r, err := worker.Start(x.bounded(), cfg)
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(r.Close)
	return r
}
