package escalate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patient bounds everything these tests wait for.
const patient = 30 * time.Second

const testSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// site is a bus of two partitions whose logs the test writes and whose runs
// stand as the test says.
type site struct {
	*testing.T
	nc     *nats.Conn
	js     jetstream.JetStream
	bus    *natsbus.Bus
	signer actions.Signer

	mu     sync.Mutex
	stands map[string]Standing // by run; the zero means Open
}

func newSite(t *testing.T) *site {
	t.Helper()
	srv, err := natsbus.Embedded(natsbus.ServerConfig{StoreDir: t.TempDir(), Partitions: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Shutdown)
	nc, err := natsbus.Connect(natsbus.Dial{URL: srv.URL(), Name: "test"})
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
	return &site{T: t, nc: nc, js: js, bus: bus, signer: newSigner(t), stands: map[string]Standing{}}
}

func newSigner(t *testing.T) actions.Signer {
	t.Helper()
	s, err := actions.GenerateSigner(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// control is an escalation about a run.
func control(run string) actions.Control {
	now := time.Now().UTC().Truncate(time.Millisecond)
	return actions.Control{
		V: 1, ID: "ctl_" + run, Kind: actions.Escalate, Tenant: "default", Agent: "support", Task: "t-" + run, Run: run,
		Time: now, Expires: now.Add(time.Hour), Detector: "repeat", Incident: "inc_" + run, Rung: 2, Reason: actions.Acted,
		Evidence: actions.Proof{Tool: "look", Count: 3, SinceRound: 4, Events: []string{"e1"}, StreamSeqs: []uint64{1}},
		Summary:  "Run " + run + " was halted.\nRepeated: look «private words»", Policy: "default@12345678", N: 2,
		Cause: actions.Cause{Event: "e1", At: actions.Position{Stream: 1, Seq: 7}},
	}
}

// log appends controls to the decision log of partition p.
func (s *site) log(p int, all ...actions.Control) {
	s.Helper()
	l, err := s.bus.OpenLog(s.Context(), p, func(natsbus.Record) bool { return false })
	if err != nil {
		s.Fatal(err)
	}
	for _, c := range all {
		body, err := c.Encode()
		if err != nil {
			s.Fatal(err)
		}
		header := nats.Header{actions.SignatureHeader: []string{
			s.signer.Sign(actions.DomainControl, events.ControlSubject(c.Tenant, c.Agent, c.Run), body),
		}}
		if _, err := l.Append(s.Context(), events.ControlLogSubject(p, c.Tenant, c.Agent, c.Run), header, body); err != nil {
			s.Fatal(err)
		}
	}
}

// says sets how a run stands.
func (s *site) says(run string, st Standing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stands[run] = st
}

func (s *site) stand(_ context.Context, _ int, all []*Escalation) ([]Standing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Standing, len(all))
	for i, e := range all {
		var known bool
		if out[i], known = s.stands[e.Run]; !known {
			out[i] = Open
		}
	}
	return out, nil
}

func (s *site) config(o Options) Config {
	s.Helper()
	if o.Webhook != "" && o.Secrets == nil {
		secret, err := ParseSecret(testSecret)
		if err != nil {
			s.Fatal(err)
		}
		o.Secrets, o.AllowPrivate = []Secret{secret}, true
	}
	return Config{
		Options: o, Bus: s.bus, Conn: s.nc, JS: s.js, Trusted: actions.NewKeyRing(s.signer.Public()),
		Owned: func() []int { return []int{0, 1} }, Stand: s.stand, Every: 20 * time.Millisecond,
		Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	}
}

// run runs a service until stop.
func (s *site) run(cfg Config) (it *Service, stop func()) {
	s.Helper()
	it, err := New(s.Context(), cfg)
	if err != nil {
		s.Fatal(err)
	}
	ctx, cancel := context.WithCancel(s.Context())
	done := make(chan error, 1)
	go func() { done <- it.Run(ctx) }()
	stopped := sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				s.Errorf("the service ends with %v", err)
			}
		case <-time.After(patient):
			s.Error("the service does not end")
		}
		for _, r := range it.receivers {
			r.client.CloseIdleConnections()
		}
		if it.hooks != nil {
			it.hooks.client.CloseIdleConnections()
		}
	})
	s.Cleanup(stopped)
	return it, stopped
}

// until waits for a condition.
func (s *site) until(what string, ok func() bool) {
	s.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(patient); !ok(); {
		select {
		case <-tick.C:
		case <-end:
			s.Fatalf("waited in vain until %s", what)
		}
	}
}

// request is what a receiver got.
type request struct {
	path   string
	header http.Header
	body   []byte
}

// ear is a receiver that keeps what it is sent and answers as it is told.
type ear struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	got    []request
}

func newEar(t *testing.T) *ear {
	t.Helper()
	e := &ear{status: http.StatusOK}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.got = append(e.got, request{r.URL.Path, r.Header.Clone(), body})
		w.WriteHeader(e.status)
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *ear) answer(status int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.status = status
}

func (e *ear) requests() []request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]request(nil), e.got...)
}

// ids lists the webhook ids that came, in order.
func (e *ear) ids() (out []string) {
	for _, r := range e.requests() {
		out = append(out, r.header.Get("Webhook-Id"))
	}
	return out
}

// alerts lists the alerts that came, in order.
func (e *ear) alerts(t *testing.T) (out []alert) {
	t.Helper()
	for _, r := range e.requests() {
		var some []alert
		if err := json.Unmarshal(r.body, &some); err != nil || r.path != "/api/v2/alerts" {
			t.Fatalf("at %s: %s: %v", r.path, r.body, err)
		}
		out = append(out, some...)
	}
	return out
}

// resolved reports whether the last alert of a run ended when it was posted.
func (e *ear) resolved(t *testing.T, run string) (said, over bool) {
	t.Helper()
	for _, a := range e.alerts(t) {
		if a.Labels["run"] == run {
			said, over = true, !a.EndsAt.After(time.Now())
		}
	}
	return said, over
}

func runName(i int) string { return fmt.Sprintf("r%d", i) }
