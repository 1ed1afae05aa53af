package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/gateway"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// TestMain holds the document against everything that the tests saw answered,
// where all of them ran.
func TestMain(m *testing.M) {
	if spec := strings.Split(os.Getenv(childEnv), " "); len(spec) == 2 {
		if err := child(spec[0], spec[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if code == 0 && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" && !testing.Short() {
		if missing := seen.missing(); len(missing) > 0 {
			fmt.Fprintf(os.Stderr, "the document promises what no test saw: %s\n", strings.Join(missing, ", "))
			code = 1
		}
	}
	os.Exit(code)
}

// patience bounds everything these tests wait for.
const patience = time.Minute

// partitions of the buses under test.
const partitions = 4

// stage is a NATS server, a processor and a gateway.
type stage struct {
	t    *testing.T
	cfg  natsbus.ServerConfig
	srv  *natsbus.Server
	data string
	app  *app.App
	nc   *nats.Conn
	bus  *natsbus.Bus
	url  string // of the gateway
	gate *gateway.Gateway
	stop func() // of the processor

	closeGate func()
	now       func() time.Time // of the processor; nil is the real one

	token string // sent with every request; empty sends none
}

// newStage starts a server, a processor that runs a preset, and a gateway.
func newStage(t *testing.T, policy string, change func(*gateway.Config)) *stage {
	t.Helper()
	s := &stage{t: t, data: t.TempDir()}
	s.cfg = natsbus.ServerConfig{Listen: freeAddress(t), StoreDir: t.TempDir(), Partitions: partitions}
	s.serve()
	t.Cleanup(func() { s.srv.Shutdown() })
	nc, err := natsbus.Connect(natsbus.Dial{URL: s.srv.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	cfg := natsbus.Default()
	cfg.Partitions = partitions
	if _, err := natsbus.Provision(t.Context(), js, cfg); err != nil {
		t.Fatal(err)
	}
	p, err := actions.Preset(policy)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.PushPolicy(t.Context(), js, p); err != nil {
		t.Fatal(err)
	}
	s.nc = nc
	if s.bus, err = natsbus.New(nc, partitions); err != nil {
		t.Fatal(err)
	}
	s.process()
	s.open(change)
	return s
}

// in is the stage for a subtest.
func (s *stage) in(t *testing.T) *stage {
	inner := *s
	inner.t = t
	return &inner
}

// serve starts the server, also again after a shutdown.
func (s *stage) serve() {
	s.t.Helper()
	var err error
	if s.srv, err = natsbus.Embedded(s.cfg); err != nil {
		s.t.Fatal(err)
	}
}

// process runs a processor.
func (s *stage) process() {
	s.t.Helper()
	a, err := app.Start(s.t.Context(), app.Options{
		Dial: natsbus.Dial{URL: s.srv.URL()}, Data: s.data, Version: "test", Now: s.now, Operators: []actions.PublicKey{operator().Public()},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	receive(s.t, "the processor", a.Processor.Ready())
	s.app = a
	s.stop = sync.OnceFunc(func() {
		end()
		if err := errors.Join(<-done, a.Close()); err != nil {
			s.t.Errorf("the processor: %v", err)
		}
	})
	s.t.Cleanup(s.stop)
}

// open starts a gateway over a connection of its own.
func (s *stage) open(change func(*gateway.Config)) {
	s.t.Helper()
	nc, err := natsbus.Connect(natsbus.Dial{URL: s.srv.URL()})
	if err != nil {
		s.t.Fatal(err)
	}
	bus, err := natsbus.New(nc, partitions)
	if err != nil {
		s.t.Fatal(err)
	}
	cfg := gateway.Config{
		Front: gateway.Front{Addr: "127.0.0.1:0"}, Conn: nc, Bus: bus, Trusted: actions.NewKeyRing(s.app.Keys.Control.Public()),
	}
	if change != nil {
		change(&cfg)
	}
	if s.gate, err = gateway.New(cfg); err != nil {
		s.t.Fatal(err)
	}
	l, url, err := cfg.Front.Listen()
	if err != nil {
		s.t.Fatal(err)
	}
	s.url = url
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.gate.Serve(ctx, l) }()
	s.closeGate = sync.OnceFunc(func() {
		end()
		if err := <-done; err != nil {
			s.t.Errorf("the gateway: %v", err)
		}
		nc.Close()
	})
	s.t.Cleanup(s.closeGate)
}

// operator is the key of the gateways under test.
var operator = sync.OnceValue(func() actions.Signer {
	s, err := actions.GenerateSigner(strings.NewReader("the key of the gateways under test"))
	if err != nil {
		panic(err)
	}
	return s
})

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// receive waits for a value, or for the closing of the channel.
func receive[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}

// until waits for a condition.
func (s *stage) until(what string, ok func() bool) {
	s.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for over := time.After(patience); !ok(); {
		select {
		case <-tick.C:
		case <-over:
			s.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// reply is what a request was answered.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// code is the code of the fault that the reply is.
func (r reply) code() string {
	var b struct {
		Error struct{ Code string }
	}
	_ = json.Unmarshal(r.body, &b)
	return b.Error.Code
}

// do sends a request, as JSON where it has a body, and holds the reply against
// the document.
func (s *stage) do(method, path, body string, header ...string) reply {
	s.t.Helper()
	r, err := s.send(s.t.Context(), method, path, strings.NewReader(body), header...)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *stage) send(ctx context.Context, method, path string, body io.Reader, header ...string) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, body)
	if err != nil {
		return reply{}, err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = res.Body.Close() }()
	r := reply{status: res.StatusCode, header: res.Header}
	if r.body, err = io.ReadAll(res.Body); err != nil {
		return reply{}, err
	}
	path, _, _ = strings.Cut(path, "?")
	return r, seen.check(method, path, r)
}

// metric returns the value of a metric without labels.
func (s *stage) metric(name string) string {
	s.t.Helper()
	for line := range strings.Lines(string(s.do("GET", "/metrics", "").body)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// want fails unless a reply has a status and, where code is not empty, is that
// fault.
func (s *stage) want(r reply, status int, code string) {
	s.t.Helper()
	if r.status != status || r.code() != code {
		s.t.Fatalf("answered %d %s, want %d %q", r.status, r.body, status, code)
	}
}
