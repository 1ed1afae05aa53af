package app_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/natsbus"
)

// The server configuration we ship is one that a processor can work with.
func TestTheShippedServerConfiguration(t *testing.T) {
	opts, err := server.ProcessConfigFile(filepath.Join("..", "..", "deployments", "nats", "nats-server.conf"))
	if err != nil {
		t.Fatal(err)
	}
	if !opts.SyncAlways {
		t.Error("what is acknowledged would not survive a loss of power")
	}
	opts.Port, opts.StoreDir, opts.NoLog, opts.NoSigs = -1, t.TempDir(), true, true
	s, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	a, err := app.Start(t.Context(), app.Options{Dial: natsbus.Dial{URL: s.ClientURL()}, Data: t.TempDir(), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	nc, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	n, err := natsbus.Inspect(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	bus, err := natsbus.New(nc, n)
	if err != nil {
		t.Fatal(err)
	}
	if err := bus.CheckMapping(t.Context()); err != nil {
		t.Error(err)
	}
}
