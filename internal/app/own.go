package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/lease"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// ownership settles which partitions are ours: all of them with a server of our
// own, whose data directory admits one process; else those that the fleet's
// leases give us.
func (a *App) ownership(ctx context.Context, partitions int) error {
	if a.opts.Embedded {
		a.owns = lease.NewAlways(partitions)
		return nil
	}
	if err := a.noSoleOwner(ctx); err != nil {
		return err
	}
	var k *lease.Keeper
	err := natsbus.InTime(ctx, a.opts.Logger, func() (err error) {
		k, err = lease.Open(ctx, a.js, lease.Config{
			Instance: a.instance, Home: a.home, Partitions: partitions, TTL: a.opts.LeaseTTL, Replicas: a.opts.Replicas,
			Logger: a.opts.Logger,
		})
		return err
	})
	if err != nil {
		return err
	}
	a.owns = k
	a.parts = append(a.parts, part{"leases", k.Run})
	return nil
}

// noSoleOwner refuses a bus whose server belongs to a processor that owns all of
// it for ever and knows no leases.
func (a *App) noSoleOwner(ctx context.Context) error {
	bound, cancel := context.WithTimeout(ctx, solePatience)
	defer cancel()
	c := fleet.Client{Conn: a.nc}
	all, err := c.Status(bound)
	if errors.Is(err, fleet.ErrNobody) || bound.Err() != nil && ctx.Err() == nil {
		return nil
	}
	for _, s := range all {
		if s.Sole {
			return fmt.Errorf("processor %s brought this server and owns all of it: run a NATS server of its own for a fleet, and no instance with --embedded", s.Instance)
		}
	}
	return err
}

// solePatience bounds how long a processor that runs may take to say so.
const solePatience = 2 * time.Second

// settleInstance reads what the data directory is called, naming it first where
// it has no name, and settles the name of this process. It needs the lock on the
// directory.
func (a *App) settleInstance() error {
	path := filepath.Join(a.opts.Data, "instance")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails
		text = []byte(hex.EncodeToString(b[:]) + "\n")
		err = writeWhole(path, text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("name the data directory: %w", err)
	}
	a.home = strings.TrimSpace(string(text))
	if len(a.home) < 6 {
		return fmt.Errorf("read %s: %q is no name: remove the file", path, a.home)
	}
	if a.instance = a.opts.Instance; a.instance == "" {
		a.instance = hostName() + "-" + a.home[:6]
	}
	return nil
}

// hostName is the host's name as one token.
func hostName() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		return "loopwatch"
	}
	host = strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, host)
	return host[:min(len(host), 100)]
}

// fleetFaults are those of the options that concern instances beside this one.
func (o Options) fleetFaults() (faults []error) {
	bad := func(broken bool, format string, v ...any) {
		if broken {
			faults = append(faults, fmt.Errorf(format, v...))
		}
	}
	bad(o.LeaseTTL != 0 && (o.LeaseTTL < lease.LeastTTL || o.LeaseTTL > lease.MostTTL),
		"--lease-ttl: %v, must be %v to %v", o.LeaseTTL, lease.LeastTTL, lease.MostTTL)
	bad(o.LeaseTTL != 0 && o.Embedded, "--lease-ttl: not with --embedded: one process owns all of its server")
	bad(o.Replicas < 0 || o.Replicas > 5, "--replicas: %d, must be 1 to 5", o.Replicas)
	bad(o.Replicas > 1 && o.Embedded, "--replicas: not with --embedded: one server keeps one copy")
	return append(faults, o.metricFaults()...)
}

// keys is the directory of the keys.
func (o Options) keys() string {
	if o.Keys != "" {
		return o.Keys
	}
	return filepath.Join(o.Data, "keys")
}

// trusted are those whose records and controls are believed: our own key's, and
// those of the keys that it replaces or that replace it.
func (a *App) trusted() actions.KeyRing {
	return actions.NewKeyRing(append([]actions.PublicKey{a.Keys.Control.Public()}, a.opts.Trusted...)...)
}
