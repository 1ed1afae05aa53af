package natsbus

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testWait bounds everything a test waits for.
const testWait = 20 * time.Second

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testWait)
	t.Cleanup(cancel)
	return ctx
}

// fixture is a provisioned bus on a server of its own.
type fixture struct {
	*Bus
	srv    *Server
	cfg    ServerConfig
	config Config
}

// newFixture starts a server with p partitions and provisions it.
func newFixture(t testing.TB, p int) *fixture {
	t.Helper()
	f := &fixture{cfg: ServerConfig{Listen: freeAddress(t), StoreDir: t.TempDir(), Partitions: p}, config: Default()}
	f.config.Partitions = p
	f.start(t)
	t.Cleanup(func() { f.srv.Shutdown() })
	nc := f.dial(t)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Provision(testContext(t), js, f.config); err != nil {
		t.Fatal(err)
	}
	if f.Bus, err = New(nc, p); err != nil {
		t.Fatal(err)
	}
	return f
}

// start starts the server, also again after a Shutdown, at the same address and directory.
func (f *fixture) start(t testing.TB) {
	t.Helper()
	srv, err := Embedded(f.cfg)
	if err != nil {
		t.Fatal(err)
	}
	f.srv = srv
}

// stop stops the server and returns when the bus' connection knows.
func (f *fixture) stop(t testing.TB) {
	t.Helper()
	f.srv.Shutdown()
	until(t, "the connection is lost", func() bool { return !f.nc.IsConnected() })
}

// restart stops the server, starts it again and waits for the connection.
func (f *fixture) restart(t testing.TB) {
	t.Helper()
	f.stop(t)
	f.start(t)
	if err := Await(testContext(t), f.nc); err != nil {
		t.Fatal(err)
	}
}

// dial returns another connection.
func (f *fixture) dial(t testing.TB) *nats.Conn {
	t.Helper()
	nc, err := Connect(Dial{URL: f.srv.URL(), Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// publish stores n events on partition p, each saying its number from first on.
func (f *fixture) publish(t testing.TB, p, first, n int) {
	t.Helper()
	f.flood(t, fmt.Sprintf("lw.evp.%d.default.agent", p), n, func(i int) string { return fmt.Sprint("event ", first+i) })
}

// flood stores n messages on a subject, in order, fast.
func (f *fixture) flood(t testing.TB, subject string, n int, data func(i int) string) {
	t.Helper()
	var last jetstream.PubAckFuture
	for i := range n {
		var err error
		if last, err = f.js.PublishMsgAsync(&nats.Msg{Subject: subject, Data: []byte(data(i))}); err != nil {
			t.Fatal(err)
		}
		if (i+1)%1000 != 0 && i+1 != n {
			continue
		}
		select {
		case <-last.Ok():
		case err := <-last.Err():
			t.Fatal(err)
		case <-testContext(t).Done():
			t.Fatal("publishing took too long")
		}
	}
}

// reader returns a reader that is closed with the test.
func (f *fixture) reader(t testing.TB, cfg ReaderConfig) *Reader {
	t.Helper()
	if cfg.Watch == 0 {
		cfg.Watch = 50 * time.Millisecond
	}
	r := f.NewReader(cfg)
	t.Cleanup(r.Close)
	return r
}

// collect fetches until n messages and gaps are there.
func collect(t testing.TB, r *Reader, n int) []Msg {
	t.Helper()
	ctx := testContext(t)
	var all []Msg
	for len(all) < n {
		msgs, err := r.Fetch(ctx, 500)
		if err != nil {
			t.Fatalf("Fetch after %d of %d messages: %v", len(all), n, err)
		}
		all = append(all, msgs...)
	}
	return all
}

// until waits for a condition.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for ctx := testContext(t); !ok(); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// freeAddress is a loopback address that nobody listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
