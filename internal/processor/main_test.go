package processor

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopwatch/loopwatch/internal/lease"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// patient bounds everything these tests wait for.
const patient = 30 * time.Second

// site is a bus of two partitions with a client.
type site struct {
	*testing.T
	nc     *nats.Conn
	js     jetstream.JetStream
	bus    *natsbus.Bus
	signer actions.Signer
}

func newSite(t *testing.T) *site {
	t.Helper()
	s, err := natsbus.Embedded(natsbus.ServerConfig{StoreDir: t.TempDir(), Partitions: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Shutdown)
	nc, err := natsbus.Connect(natsbus.Dial{URL: s.URL(), Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	cfg := natsbus.Default()
	cfg.Partitions = 2
	if _, err := natsbus.Provision(t.Context(), js, cfg); err != nil {
		t.Fatal(err)
	}
	bus, err := natsbus.New(nc, 2)
	if err != nil {
		t.Fatal(err)
	}
	return &site{T: t, nc: nc, js: js, bus: bus, signer: newSigner(t)}
}

func newSigner(t *testing.T) actions.Signer {
	t.Helper()
	s, err := actions.GenerateSigner(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// config is that of a processor that logs nowhere and remembers in memory.
func (p *site) config(name string, owns Ownership) Config {
	p.Helper()
	policy, err := actions.Preset("sundry")
	if err != nil {
		p.Fatal(err)
	}
	return Config{
		Instance: name, Version: "test", Bus: p.bus, Owns: owns, Store: state.NewMemory(), Policy: policy,
		Signer: p.signer, Trusted: actions.NewKeyRing(p.signer.Public()), Logger: slog.New(slog.DiscardHandler),
		Metrics: NewMetrics(prometheus.NewRegistry(), nil, nil), Now: time.Now,
	}
}

// run runs a processor until stop, which returns what it ended with.
func (p *site) run(cfg Config) (it *Processor, stop func() error) {
	p.Helper()
	it, err := New(p.Context(), cfg)
	if err != nil {
		p.Fatal(err)
	}
	ctx, cancel := context.WithCancel(p.Context())
	done := make(chan error, 1)
	go func() { done <- it.Run(ctx) }()
	stopped := sync.OnceValue(func() error {
		cancel()
		defer it.Close()
		select {
		case err := <-done:
			return err
		case <-time.After(patient):
			return fmt.Errorf("%s does not end", cfg.Instance)
		}
	})
	p.Cleanup(func() { _ = stopped() })
	return it, stopped
}

// until waits for a condition.
func (p *site) until(what string, ok func() bool) {
	p.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(patient); !ok(); {
		select {
		case <-tick.C:
		case <-end:
			p.Fatalf("waited in vain until %s", what)
		}
	}
}

// call publishes the n-th call of a run on partition 0; equal calls repeat.
func (p *site) call(n int, check string) uint64 {
	p.Helper()
	e := events.Event{
		V: 1, ID: fmt.Sprint("e", n), Kind: events.ToolCall, Tenant: "default", Agent: "a", Task: p.task(), Run: "r",
		Seq: uint64(n), Round: n, Time: time.Now(), Call: &events.Call{ID: fmt.Sprint(n), Tool: "look", Args: events.RawJSON(`{}`)},
	}
	body, err := events.Encode(e)
	if err != nil {
		p.Fatal(err)
	}
	m := nats.NewMsg(events.EventSubject(e.Tenant, e.Agent, e.Task, e.Run))
	m.Data = body
	m.Header.Set("Nats-Msg-Id", e.ID)
	if check != "" {
		m.Header.Set(natsbus.CheckHeader, check+","+time.Now().Add(time.Hour).UTC().Format(time.RFC3339Nano))
	}
	ack, err := p.js.PublishMsg(p.Context(), m)
	if err != nil {
		p.Fatal(err)
	}
	return ack.Sequence
}

// task is the first task of partition 0.
func (p *site) task() string {
	for i := 0; ; i++ {
		if t := fmt.Sprint("t", i); events.Partition("default", t, 2) == 0 {
			return t
		}
	}
}

// applied says how far a processor's partition 0 got.
func applied(it *Processor) uint64 {
	for _, s := range it.Status() {
		if s.Partition == 0 {
			return s.Applied
		}
	}
	return 0
}

// records counts what the decision log of partition 0 holds: epochs, and the rest.
func (p *site) records() (epochs, decisions int) {
	p.Helper()
	log, err := p.bus.OpenLog(p.Context(), 0, func(natsbus.Record) bool { return false })
	if err != nil {
		p.Fatal(err)
	}
	err = log.ReadFrom(p.Context(), 0, func(r natsbus.Record) error {
		if r.Subject == natsbus.EpochSubject(0) {
			epochs++
		} else {
			decisions++
		}
		return nil
	})
	if err != nil {
		p.Fatal(err)
	}
	return epochs, decisions
}

// hand gives out grants as a test likes.
type hand struct {
	changed chan struct{}

	mu       sync.Mutex
	grants   []*lease.Grant
	released []*lease.Grant
}

func newHand() *hand { return &hand{changed: make(chan struct{}, 1)} }

// give grants partition 0 until then.
func (h *hand) give(until time.Time) *lease.Grant {
	g := lease.NewGrant(0, until)
	h.mu.Lock()
	h.grants = append(h.grants, g)
	h.mu.Unlock()
	select {
	case h.changed <- struct{}{}:
	default:
	}
	return g
}

func (h *hand) Grants() []*lease.Grant {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]*lease.Grant(nil), h.grants...)
}

func (h *hand) Changed() <-chan struct{} { return h.changed }

func (h *hand) Release(g *lease.Grant) {
	g.End()
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, held := range h.grants {
		if held == g {
			h.grants = append(h.grants[:i:i], h.grants[i+1:]...)
			h.released = append(h.released, g)
			return
		}
	}
}

func (h *hand) Settled() bool { return true }

// back reports whether a grant was given back.
func (h *hand) back(g *lease.Grant) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.released {
		if r == g {
			return true
		}
	}
	return false
}
