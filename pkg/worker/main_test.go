package worker_test

import (
	"context"
	"crypto/rand"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds everything a test waits for.
const patience = 30 * time.Second

// long is a Wait that no test outlasts: where it is set, the bus answers.
const long = 2 * patience

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// bus is a provisioned NATS server of one partition on which the test plays
// the processor by hand.
type bus struct {
	t      *testing.T
	cfg    natsbus.ServerConfig
	srv    *natsbus.Server
	nc     *nats.Conn // the test's
	agent  *nats.Conn // the workers'
	js     jetstream.JetStream
	events *nats.Subscription // everything workers publish, as it is mapped
	signer actions.Signer
}

func newBus(t *testing.T) *bus {
	t.Helper()
	b := &bus{t: t, cfg: natsbus.ServerConfig{Listen: freeAddress(t), StoreDir: t.TempDir(), Partitions: 1}}
	b.start()
	t.Cleanup(func() { b.srv.Shutdown() })
	b.nc, b.agent = b.dial(), b.dial()
	var err error
	if b.js, err = jetstream.New(b.nc); err != nil {
		t.Fatal(err)
	}
	cfg := natsbus.Default()
	cfg.Partitions = 1
	if _, err := natsbus.Provision(testContext(t), b.js, cfg); err != nil {
		t.Fatal(err)
	}
	if b.events, err = b.nc.SubscribeSync("lw.evp.>"); err != nil {
		t.Fatal(err)
	}
	if err := b.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	if b.signer, err = actions.GenerateSigner(rand.Reader); err != nil {
		t.Fatal(err)
	}
	return b
}

// start starts the server, also again after a shutdown, at the same address
// and directory.
func (b *bus) start() {
	b.t.Helper()
	var err error
	if b.srv, err = natsbus.Embedded(b.cfg); err != nil {
		b.t.Fatal(err)
	}
}

// stop stops the server and returns when the workers' connection knows.
func (b *bus) stop() {
	b.t.Helper()
	lost := b.agent.StatusChanged(nats.RECONNECTING)
	defer b.agent.RemoveStatusListener(lost)
	b.srv.Shutdown()
	for b.agent.IsConnected() {
		receive(b.t, lost)
	}
}

// restart starts the server again and waits for the workers' connection and
// for the test's.
func (b *bus) restart() {
	b.t.Helper()
	b.start()
	for _, nc := range []*nats.Conn{b.agent, b.nc} {
		if err := natsbus.Await(testContext(b.t), nc); err != nil {
			b.t.Fatal(err)
		}
	}
	if err := b.nc.Flush(); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bus) dial() *nats.Conn {
	b.t.Helper()
	nc, err := nats.Connect(b.srv.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(5*time.Millisecond), nats.ReconnectJitter(0, 0))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(nc.Close)
	return nc
}

// said is an event as it came over the bus.
type said struct {
	events.Event
	check events.Check // zero where nothing was asked
}

// next returns the next event that a worker said.
func (b *bus) next() said {
	b.t.Helper()
	m, err := b.events.NextMsgWithContext(testContext(b.t))
	if err != nil {
		b.t.Fatalf("wait for an event: %v", err)
	}
	e, err := events.Decode(m.Data, events.DefaultLimit)
	if err != nil {
		b.t.Fatalf("an event that no processor takes: %v\n%.300s", err, m.Data)
	}
	if id := m.Header.Get(nats.MsgIdHdr); id != e.ID {
		b.t.Errorf("event %s was published as %s", e.ID, id)
	}
	s := said{Event: e}
	if h := m.Header.Get(events.HeaderCheck); h != "" {
		if s.check, err = events.ParseCheck(h); err != nil {
			b.t.Fatal(err)
		}
	}
	return s
}

// want returns the next event and fails unless it is of that kind.
func (b *bus) want(k events.Kind) said {
	b.t.Helper()
	s := b.next()
	if s.Kind != k {
		b.t.Fatalf("got a %s, want a %s: %+v", s.Kind, k, s.Event)
	}
	return s
}

// ack returns the next event and fails unless it acknowledges the control.
func (b *bus) ack(control string, outcome events.Outcome) {
	b.t.Helper()
	if a := b.want(events.ControlAck).Ack; a.Control != control || a.Outcome != outcome {
		b.t.Fatalf("acknowledged %s as %s (%s), want %s as %s", a.Control, a.Outcome, a.Detail, control, outcome)
	}
}

// silent fails where a worker has said anything that was not looked at.
func (b *bus) silent() {
	b.t.Helper()
	if m, err := b.events.NextMsg(time.Millisecond); err == nil {
		b.t.Fatalf("unexpected event: %s", m.Data)
	}
}

// answer sends a verdict on an event.
func (b *bus) answer(s said, v actions.Verdict) {
	b.t.Helper()
	v.V, v.Event = actions.Version, s.ID
	if s.Call != nil {
		v.CallID = s.Call.ID
	}
	body, err := v.Encode()
	if err != nil {
		b.t.Fatal(err)
	}
	subject := events.VerdictSubject(s.Tenant, s.Agent, s.Run, s.check.Token)
	b.send(subject, body, b.signer.Sign(actions.DomainVerdict, subject, body))
}

// control sends a control.
func (b *bus) control(c actions.Control) {
	b.t.Helper()
	body, err := c.Encode()
	if err != nil {
		b.t.Fatal(err)
	}
	subject := events.ControlSubject(c.Tenant, c.Agent, c.Run)
	b.send(subject, body, b.signer.Sign(actions.DomainControl, subject, body))
}

func (b *bus) send(subject string, body []byte, sig string) {
	b.t.Helper()
	m := nats.NewMsg(subject)
	m.Data = body
	if sig != "" {
		m.Header.Set(actions.SignatureHeader, sig)
	}
	if err := b.nc.PublishMsg(m); err != nil {
		b.t.Fatal(err)
	}
	if err := b.nc.Flush(); err != nil {
		b.t.Fatal(err)
	}
}

// config is what the tests' runs have in common.
func (b *bus) config() worker.Config {
	return worker.Config{Conn: b.agent, Run: "r1", Task: "t1", Wait: long, NoGuard: true}
}

// hello starts a run and answers its hello.
func (b *bus) hello(cfg worker.Config, v actions.Verdict) (*worker.Run, error) {
	b.t.Helper()
	type started struct {
		run *worker.Run
		err error
	}
	done := make(chan started, 1)
	go func() {
		r, err := worker.Start(testContext(b.t), cfg)
		done <- started{r, err}
	}()
	s := b.want(events.RunStart)
	if v.Decision == "" {
		v.Decision = actions.Allow
	}
	if v.LastSeq == nil {
		v.LastSeq = new(uint64)
	}
	if v.Time.IsZero() {
		v.Time = time.Now().UTC()
	}
	b.answer(s, v)
	out := receive(b.t, done)
	if out.run != nil {
		b.t.Cleanup(out.run.Close)
	}
	return out.run, out.err
}

// run starts a run that may go on.
func (b *bus) run(cfg worker.Config) *worker.Run {
	b.t.Helper()
	r, err := b.hello(cfg, actions.Verdict{})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// call asks before dispatch and answers.
func (b *bus) call(r *worker.Run, tool string, args any, v actions.Verdict) (*worker.Call, error) {
	b.t.Helper()
	wait := asking(b.t, r, tool, args)
	b.answer(b.want(events.ToolCall), v)
	return wait()
}

// asking starts a call and returns what waits for it.
func asking(t *testing.T, r *worker.Run, tool string, args any) func() (*worker.Call, error) {
	t.Helper()
	type asked struct {
		call *worker.Call
		err  error
	}
	done := make(chan asked, 1)
	go func() {
		c, err := r.Call(testContext(t), tool, args)
		done <- asked{c, err}
	}()
	return func() (*worker.Call, error) {
		t.Helper()
		out := receive(t, done)
		return out.call, out.err
	}
}

// receive waits for a value.
func receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("waited in vain")
		panic("unreachable")
	}
}

// allow is the verdict to go on.
var allow = actions.Verdict{Decision: actions.Allow}

// freeAddress is a loopback address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}
