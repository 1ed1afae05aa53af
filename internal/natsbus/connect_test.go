package natsbus

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
)

func TestConnectBeforeTheServerIsThere(t *testing.T) {
	cfg := ServerConfig{Listen: freeAddress(t), StoreDir: t.TempDir(), Partitions: 1}
	nc, err := Connect(Dial{URL: "nats://" + cfg.Listen, Name: "early"})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Await(ctx, nc); !errors.Is(err, context.Canceled) {
		t.Errorf("Await without server and time: %v", err)
	}
	srv, err := Embedded(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Shutdown()
	if err := Await(testContext(t), nc); err != nil {
		t.Fatal(err)
	}
	nc.Close()
	if err := Await(testContext(t), nc); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("Await on a closed connection: %v", err)
	}
}

func TestConnectByContext(t *testing.T) {
	srv, err := Embedded(ServerConfig{StoreDir: t.TempDir(), Partitions: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Shutdown()
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	dir := filepath.Join(home, "nats", "context")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "here.json"), `{"url":"`+srv.URL()+`"}`)
	write(filepath.Join(dir, "domain.json"), `{"url":"`+srv.URL()+`","jetstream_domain":"leaf"}`)
	for name, test := range map[string]struct {
		dial Dial
		want string // part of the error; empty: connected
	}{
		"named":            {Dial{Context: "here"}, ""},
		"unknown":          {Dial{Context: "nowhere"}, "load NATS context"},
		"with a domain":    {Dial{Context: "domain"}, "domain or API prefix is not supported"},
		"and a URL":        {Dial{Context: "here", URL: srv.URL()}, "both a URL and a context"},
		"no such creds":    {Dial{Context: "here", Creds: filepath.Join(home, "none.creds")}, "none.creds"},
		"the selected one": {Dial{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			write(filepath.Join(home, "nats", "context.txt"), "here")
			nc, err := Connect(test.dial)
			if err == nil {
				defer nc.Close()
				err = Await(testContext(t), nc)
			}
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error is %v, want %q", err, test.want)
			}
		})
	}
}
