package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/gateway"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/internal/reportapi"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// frontFlags say where a gateway listens and whom it lets in.
type frontFlags struct {
	Tokens      string   `help:"File of tokens; the loopback interface may do without." placeholder:"FILE"`
	TLSCert     string   `name:"tls-cert" help:"Certificate, PEM; any address but loopback needs one." placeholder:"FILE"`
	TLSKey      string   `name:"tls-key" help:"Its key, PEM." placeholder:"FILE"`
	Host        []string `help:"Name by which the gateway is reached, beside its address." placeholder:"NAME"`
	OperatorKey string   `help:"Secret key that signs halts and resumptions; without it they are refused." placeholder:"FILE"`
	MaxBody     int64    `help:"Largest body in bytes." default:"1048576"`
}

// front reads what the flags name.
func (f frontFlags) front(http string) (gateway.Front, error) {
	front, err := gateway.Options{
		HTTP: http, TokensFile: f.Tokens, TLSCert: f.TLSCert, TLSKey: f.TLSKey, Hosts: f.Host,
		OperatorKey: f.OperatorKey, MaxBody: f.MaxBody,
	}.Load()
	return front, err
}

type gatewayCmd struct {
	busFlags
	frontFlags
	HTTP    string   `name:"http" help:"Address of the API." default:"127.0.0.1:8787" placeholder:"HOST:PORT"`
	Trust   []string `help:"Public key of the processors; several while one replaces another." placeholder:"FILE"`
	Verbose bool     `short:"v" help:"Log more."`
}

// Run serves HTTP until it is told to stop. It waits for the bus.
func (c *gatewayCmd) Run(ctx context.Context, io streams) error {
	level := slog.LevelInfo
	if c.Verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(io.err, &slog.HandlerOptions{Level: level}))
	front, err := c.front(c.HTTP)
	trusted, terr := readTrust(c.Trust)
	if err := errors.Join(err, terr); err != nil {
		return exit{code: exitUsage, err: err}
	}
	d := c.dial()
	d.Name, d.Logger = "loopwatch gateway", log
	nc, err := natsbus.Connect(d)
	if err != nil {
		return err
	}
	defer nc.Close()
	found := sayWaiting(io.err)
	bus, err := awaitBus(ctx, nc, log)
	found()
	if err != nil {
		return err
	}
	g, err := gateway.New(gateway.Config{
		Front: front, Conn: nc, Bus: bus, Trusted: trusted, Logger: log, Extra: []gateway.Route{reportapi.Route(bus)},
	})
	if err != nil {
		return err
	}
	defer g.Close()
	l, url, err := front.Listen()
	if err != nil {
		return err
	}
	fmt.Fprintf(io.err, "ready: %s serves %s\n", version(), url)
	return g.Serve(ctx, l)
}

// readTrust reads the keys that a gateway believes.
func readTrust(files []string) (actions.KeyRing, error) {
	if len(files) == 0 {
		return actions.KeyRing{}, errors.New("--trust: required: a processor's keys/control.pub, so that only its word is handed on")
	}
	keys, err := readKeys("--trust", files)
	return actions.NewKeyRing(keys...), err
}

// readKeys reads public keys and names every file that holds none.
func readKeys(flag string, files []string) ([]actions.PublicKey, error) {
	var keys []actions.PublicKey
	var faults []error
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", flag, err))
			continue
		}
		k, err := actions.ParsePublicKey(string(text))
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: read %s: %w", flag, path, err))
		}
		keys = append(keys, k)
	}
	return keys, errors.Join(faults...)
}

// awaitBus waits until there is a bus behind the connection.
func awaitBus(ctx context.Context, nc *nats.Conn, log *slog.Logger) (*natsbus.Bus, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("open JetStream: %w", err)
	}
	for told := false; ; told = true {
		bound, cancel := context.WithTimeout(ctx, connectPatience)
		err := natsbus.Await(bound, nc)
		n := 0
		if err == nil {
			n, err = natsbus.Inspect(bound, js)
		}
		cancel()
		if err == nil {
			return natsbus.New(nc, n)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !told {
			log.Warn("waiting for the bus", "error", err)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
