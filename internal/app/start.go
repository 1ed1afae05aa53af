package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopwatch/loopwatch/internal/escalate"
	"github.com/loopwatch/loopwatch/internal/gateway"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/internal/processor"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/state/pebblestore"
)

// Options say how to run a processor.
type Options struct {
	Embedded  bool   // bring a NATS server of our own, its JetStream in Data; Dial is then not used
	Listen    string // where the embedded server takes clients; empty means a free loopback port
	Dial      natsbus.Dial
	Data      string              // data directory; required
	Volatile  bool                // the embedded server may lose what the last moments brought when power fails
	Policy    *actions.Policy     // pushed at start; only with Embedded. nil leaves what the fleet has
	Ops       string              // address of metrics and probes; empty for none
	HTTP      *gateway.Front      // the API for workers and operators over HTTP; nil for none
	Operators []actions.PublicKey // whose acts are obeyed beside those of this instance
	Instance  string              // empty means the host's name and a part that the data directory keeps
	Keys      string              // directory of the fleet's keys; empty means Data/keys
	Trusted   []actions.PublicKey // believed beside our own, while one key replaces another
	LeaseTTL  time.Duration       // how long a lease lasts unrenewed; 0 means the fleet's, lease.DefaultTTL for a new one
	Escalate  escalate.Options    // whom to tell of escalations
	Replicas  int                 // copies of streams and buckets where they are made; 0 means 1
	Version   string
	Agents    []string // label values of metrics beside _other
	Tools     []string
	Logger    *slog.Logger
	Now       func() time.Time // nil means time.Now

	Boundary func(effect string) // see processor.Config
}

// App is a running processor with what it stands on.
type App struct {
	Processor *processor.Processor
	Keys      Keys
	URL       string // of the embedded server, empty without
	OpsAddr   string // where metrics and probes are served, empty without
	HTTPURL   string // where the API is served, empty without

	opts     Options
	escalate *escalate.Service
	instance string // name of this process to the bus and to people
	home     string // name of the data directory
	owns     processor.Ownership
	policy   atomic.Pointer[pushed] // newest that the watch brought

	nc      *nats.Conn
	js      jetstream.JetStream
	bus     *natsbus.Bus
	closers []func() error
	parts   []part
}

// part is one thing that runs until the app ends.
type part struct {
	name string
	run  func(context.Context) error
}

// Start brings everything up but the processing itself: see Run. Close it.
func Start(ctx context.Context, o Options) (a *App, err error) {
	if o, err = o.complete(); err != nil {
		return nil, err
	}
	a = &App{opts: o}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
			a = nil
		}
	}()
	if a.Keys, err = LoadKeys(o.keys()); err != nil {
		return a, err
	}
	store, err := pebblestore.Open(filepath.Join(o.Data, "state"), pebblestore.Options{
		OnFatal: func(err error) { o.Logger.Error("the store cannot keep its promise; the process ends", "error", err) },
	})
	if err != nil {
		return a, err
	}
	a.onClose(store.Close)
	if err := a.settleInstance(); err != nil {
		return a, err
	}
	bus, err := a.connect(ctx)
	if err != nil {
		return a, err
	}
	a.bus = bus
	if err := a.ownership(ctx, bus.Partitions()); err != nil {
		return a, err
	}
	reg := prometheus.NewRegistry()
	fallback, err := actions.Preset(actions.DefaultPreset)
	if err != nil {
		return a, err
	}
	a.Processor, err = processor.New(ctx, processor.Config{
		Instance: a.instance, Version: o.Version, Bus: bus, Owns: a.owns, Store: store, Policy: fallback,
		HashKey: a.Keys.Hash, Signer: a.Keys.Control, Trusted: a.trusted(), Operators: a.operators(),
		Logger: o.Logger, Taken: a.bringPolicy,
		Metrics: processor.NewMetrics(reg, o.Agents, o.Tools), Now: o.Now, Boundary: o.Boundary,
	})
	if err != nil {
		return a, err
	}
	a.onClose(func() error { a.Processor.Close(); return nil })
	return a, a.startParts(ctx, reg, store)
}

// Validate names everything about the options that cannot be, all at once; nil
// where they can be tried.
func (o Options) Validate() error {
	var faults []error
	if o.Data == "" {
		faults = append(faults, errors.New("--data: required: a directory for state and keys"))
	}
	if o.Policy != nil && !o.Embedded {
		faults = append(faults, errors.New("--policy: only with --embedded: a fleet runs the policy that was pushed (loopwatch policy push)"))
	}
	if o.Listen != "" && !o.Embedded {
		faults = append(faults, errors.New("--listen: only with --embedded"))
	}
	faults = append(faults, o.fleetFaults()...)
	faults = append(faults, o.Escalate.Validate())
	for _, a := range []struct{ flag, addr string }{{"--listen", o.Listen}, {"--ops", o.Ops}} {
		if err := checkAddress(a.addr); a.addr != "" && err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", a.flag, err))
		}
	}
	if checkAddress(o.Listen) == nil && !loopback(o.Listen) {
		faults = append(faults, fmt.Errorf("--listen: %s is reached from elsewhere, and the embedded server knows neither users nor TLS: "+
			"listen on 127.0.0.1, or run a NATS server with what loopwatch provision writes, and the processor with --context", o.Listen))
	}
	return errors.Join(faults...)
}

// loopback reports whether only this host reaches an address host:port.
func loopback(addr string) bool {
	host, _, _ := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// checkAddress reports what keeps an address from being host:port.
func checkAddress(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("address %s: port %q is not a number from 0 to 65535", addr, port)
	}
	return nil
}

// complete validates and fills defaults.
func (o Options) complete() (Options, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, o.Validate()
}

// connect reaches the bus, our own or the fleet's, and sees that it holds what
// it must.
func (a *App) connect(ctx context.Context) (*natsbus.Bus, error) {
	cfg := natsbus.Default()
	cfg.Replicas = max(a.opts.Replicas, 1)
	dial := a.opts.Dial
	if a.opts.Embedded {
		dial = natsbus.Dial{}
	}
	dial.Name, dial.Logger = "loopwatch "+a.instance, a.opts.Logger
	if a.opts.Embedded {
		s, err := natsbus.Embedded(natsbus.ServerConfig{
			Listen: a.opts.Listen, StoreDir: filepath.Join(a.opts.Data, "jetstream"),
			Partitions: partitions, SyncAlways: !a.opts.Volatile, Logger: a.opts.Logger,
		})
		if err != nil {
			return nil, err
		}
		a.onClose(func() error { s.Shutdown(); return nil })
		dial.URL, a.URL, cfg.Partitions = s.URL(), s.URL(), partitions
	}
	nc, err := natsbus.Connect(dial)
	if err != nil {
		return nil, err
	}
	a.nc = nc
	a.onClose(func() error { nc.Close(); return nil })
	if a.js, err = jetstream.New(nc); err != nil {
		return nil, fmt.Errorf("open jetstream: %w", err)
	}
	n, err := natsbus.ProvisionInTime(ctx, a.js, cfg, a.opts.Logger)
	if err != nil {
		return nil, fmt.Errorf("provision the bus: %w", err)
	}
	return natsbus.New(nc, n)
}

// partitions of a bus that is made here.
const partitions = 16

func (a *App) onClose(f func() error) { a.closers = append(a.closers, f) }

// Close takes everything down in the reverse order.
func (a *App) Close() error {
	var errs []error
	for i := len(a.closers) - 1; i >= 0; i-- {
		errs = append(errs, a.closers[i]())
	}
	a.closers = nil
	return errors.Join(errs...)
}
