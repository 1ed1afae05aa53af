package gateway

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Config is what a gateway needs. Conn, Bus and Trusted are required.
type Config struct {
	Front   Front
	Conn    *nats.Conn      // of its own; stays the caller's to close
	Bus     *natsbus.Bus    // behind Conn
	Trusted actions.KeyRing // whose verdicts and controls are handed on

	MaxEvent  int           // bytes of one event; 0 means events.DefaultLimit
	BodyWait  time.Duration // longest a body may take to arrive; 0 means 10 s
	StoreWait time.Duration // longest the bus may take for a body; 0 means 5 s
	MaxBytes  int64         // bodies under way, together; 0 means 64 MiB
	MaxPolls  int64         // polls that wait; 0 means 20,000

	Ready    func() bool          // nil means that the bus is connected
	Registry *prometheus.Registry // takes the gateway's metrics and is served; nil makes one
	Extra    []Route              // served beside the gateway's own
	Logger   *slog.Logger         // nil discards
}

// Gateway serves HTTP for one bus.
type Gateway struct {
	cfg     Config
	conn    *nats.Conn
	bus     *natsbus.Bus
	fleet   *fleet.Client
	hub     *hub
	subs    []*nats.Subscription
	lanes   lanes
	budget  budget
	polls   budget
	readers chan struct{}
	skewNS  atomic.Int64
	reached []atomic.Uint64 // by partition: how far its decision log is known to reach
	hosts   hosts
	origin  *http.CrossOriginProtection
	metrics *metrics
	handler http.Handler

	stopping chan struct{} // closed when polls are to be answered
}

// New subscribes on the bus. Serve it, or Close it.
func New(cfg Config) (*Gateway, error) {
	if cfg.Trusted.Empty() {
		return nil, errors.New("make gateway: no trusted key: nothing that a processor says could be believed")
	}
	cfg = cfg.complete()
	g := &Gateway{
		cfg: cfg, conn: cfg.Conn, bus: cfg.Bus,
		fleet: &fleet.Client{Conn: cfg.Conn, Partitions: cfg.Bus.Partitions()}, readers: make(chan struct{}, readers),
		reached: make([]atomic.Uint64, cfg.Bus.Partitions()),
		origin:  http.NewCrossOriginProtection(), metrics: newMetrics(cfg.Registry), stopping: make(chan struct{}),
	}
	g.budget.give(cfg.MaxBytes)
	g.polls.give(cfg.MaxPolls)
	g.metrics.waiting(cfg.Registry, func() float64 { return float64(cfg.MaxPolls - g.polls.left.Load()) })
	g.hub = &hub{
		trusted: cfg.Trusted, forged: g.metrics.forged.Inc,
		asked: map[string][]*question{}, waiting: map[string]waiters{},
	}
	g.hosts = cfg.Front.hosts()
	g.handler = g.mux(append(g.routes(), cfg.Extra...))
	var err error
	if g.subs, err = g.hub.listen(cfg.Conn); err != nil {
		g.Close()
		return nil, fmt.Errorf("listen for verdicts and controls: %w", err)
	}
	return g, nil
}

func (c Config) complete() Config {
	def := func(n *int64, v int64) {
		if *n == 0 {
			*n = v
		}
	}
	wait := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&c.Front.MaxBody, DefaultBody)
	def(&c.MaxBytes, 64<<20)
	def(&c.MaxPolls, 20_000)
	wait(&c.BodyWait, 10*time.Second)
	wait(&c.StoreWait, 5*time.Second)
	if c.MaxEvent == 0 {
		c.MaxEvent = events.DefaultLimit
	}
	if c.Ready == nil {
		c.Ready = c.Conn.IsConnected
	}
	if c.Registry == nil {
		c.Registry = prometheus.NewRegistry()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// hosts are the names of a front.
func (f Front) hosts() hosts {
	h := hosts{names: []string{"localhost", "127.0.0.1", "::1"}}
	if host, _, err := net.SplitHostPort(f.Addr); err == nil && host != "" {
		h.names = append(h.names, strings.ToLower(host))
	}
	for _, n := range f.Hosts {
		h.names = append(h.names, strings.ToLower(n))
	}
	if f.Cert != nil && f.Cert.Leaf != nil {
		leaf := f.Cert.Leaf
		h.cert = func(name string) bool { return leaf.VerifyHostname(name) == nil }
	}
	return h
}

// Close stops listening on the bus; polls that wait are answered. Serve does
// it by itself.
func (g *Gateway) Close() {
	select {
	case <-g.stopping:
	default:
		close(g.stopping)
	}
	for _, s := range g.subs {
		_ = s.Unsubscribe() // the connection may be gone
	}
}

// Listen opens the address of a front; the URL is how to reach it.
func (f Front) Listen() (l net.Listener, url string, err error) {
	l, err = net.Listen("tcp", f.Addr)
	if err != nil {
		return nil, "", fmt.Errorf("listen for HTTP: %w", err)
	}
	scheme := "http"
	if f.Cert != nil {
		scheme = "https"
	}
	return l, scheme + "://" + l.Addr().String(), nil
}

// Serve answers on l until ctx ends: then polls are answered, what is under
// way is finished, and the gateway is closed.
func (g *Gateway) Serve(ctx context.Context, l net.Listener) error {
	s := g.server()
	side, stop := context.WithCancel(ctx)
	defer stop()
	go g.watch(side)
	done := make(chan error, 1)
	go func() {
		if s.TLSConfig != nil {
			done <- s.ServeTLS(l, "", "")
			return
		}
		done <- s.Serve(l)
	}()
	select {
	case err := <-done:
		g.Close()
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	g.Close()
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	if err := s.Shutdown(bound); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stop HTTP: %w", err)
	}
	return s.Close()
}

// lastWords is how long requests under way may take once the gateway stops.
const lastWords = 5 * time.Second

func (g *Gateway) server() *http.Server {
	var p http.Protocols
	p.SetHTTP1(true)
	p.SetHTTP2(true)
	p.SetUnencryptedHTTP2(true)
	s := &http.Server{
		Handler: g.handler, Protocols: &p, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(g.cfg.Logger.Handler(), slog.LevelDebug),
	}
	if c := g.cfg.Front.Cert; c != nil {
		s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*c}, MinVersion: tls.VersionTLS12}
	}
	return s
}

// watch makes the polls look into the log when the bus is back.
func (g *Gateway) watch(ctx context.Context) {
	changed := g.conn.StatusChanged(nats.CONNECTED)
	defer g.conn.RemoveStatusListener(changed)
	for {
		select {
		case <-changed:
			for p := range g.reached {
				g.reached[p].Store(0) // it may be another bus
			}
			g.hub.wakeAll()
		case <-ctx.Done():
			return
		}
	}
}
