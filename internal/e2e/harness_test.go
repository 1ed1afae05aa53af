package e2e

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// partitions of the buses under test.
const partitions = 4

// stage is a NATS server with a provisioned bus and a client.
type stage struct {
	t   *testing.T
	cfg natsbus.ServerConfig
	srv *natsbus.Server
	url string
	nc  *nats.Conn
	js  jetstream.JetStream
	bus *natsbus.Bus
	env []string // of processors
}

// newStage starts a server and pushes a policy.
func newStage(t *testing.T, policy string) *stage {
	t.Helper()
	s := &stage{t: t, cfg: natsbus.ServerConfig{Listen: freeAddress(t), StoreDir: t.TempDir(), Partitions: partitions}}
	s.serve()
	t.Cleanup(func() { s.srv.Shutdown() })
	s.furnish(policy, 1)
	return s
}

// furnish connects, provisions the bus and pushes a policy.
func (s *stage) furnish(policy string, replicas int) {
	t := s.t
	t.Helper()
	nc, err := nats.Connect(s.url, nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	cfg := natsbus.Default()
	cfg.Partitions, cfg.Replicas = partitions, replicas
	if _, err := natsbus.Provision(t.Context(), js, cfg); err != nil {
		t.Fatal(err)
	}
	if _, err := app.PushPolicy(t.Context(), js, preset(t, policy)); err != nil {
		t.Fatal(err)
	}
	bus, err := natsbus.New(nc, partitions)
	if err != nil {
		t.Fatal(err)
	}
	s.nc, s.js, s.bus = nc, js, bus
}

// serve starts the server, also again after a shutdown, at the same address
// and directory.
func (s *stage) serve() {
	s.t.Helper()
	var err error
	if s.srv, err = natsbus.Embedded(s.cfg); err != nil {
		s.t.Fatal(err)
	}
	s.url = s.srv.URL()
}

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

// processor is a processor in a process of its own.
type processor struct {
	cmd   *exec.Cmd
	ready chan struct{}
	done  chan struct{}
	err   error
}

// start runs a processor on the stage; killAt is empty or effect:n.
func (s *stage) start(data, killAt string) *processor {
	s.t.Helper()
	spec := s.url + " " + data
	if killAt != "" {
		spec += " " + killAt
	}
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	p := &processor{cmd: exec.Command(exe), ready: make(chan struct{}), done: make(chan struct{})}
	p.cmd.Env = append(append(os.Environ(), s.env...), childEnv+"="+spec)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		if bufio.NewScanner(out).Scan() {
			close(p.ready)
		}
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	s.t.Cleanup(p.kill)
	return p
}

// kill ends the process as hard as the system can and waits for its end.
func (p *processor) kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	<-p.done
}

// stop ends the process gracefully.
func (p *processor) stop(t *testing.T) {
	t.Helper()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(30 * time.Second):
		t.Fatal("the processor does not stop")
	}
	if p.err != nil {
		t.Errorf("the processor stopped with: %v", p.err)
	}
}

// killed reports whether the process died of SIGKILL.
func (p *processor) killed() bool {
	<-p.done
	ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && ws.Signaled() && ws.Signal() == syscall.SIGKILL
}

// wait waits until the processor has applied everything that is stored now.
func (s *stage) wait(p *processor) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer cancel()
	select {
	case <-p.ready:
	case <-p.done:
		s.t.Fatalf("the processor ended: %v", p.err)
	case <-ctx.Done():
		s.t.Fatal("the processor does not become ready")
	}
	client := s.fleet()
	for {
		if s.behind(ctx, client) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			s.t.Fatal("the processor does not catch up")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// publish stores one event as any worker would, retrying under its id.
func (s *stage) publish(e events.Event) {
	s.t.Helper()
	body, err := events.Encode(e)
	if err != nil {
		s.t.Fatal(err)
	}
	s.publishRaw(events.EventSubject(e.Tenant, e.Agent, e.Task, e.Run), e.ID, body)
}

func (s *stage) publishRaw(subject, id string, body []byte) {
	s.t.Helper()
	m := nats.NewMsg(subject)
	m.Data = body
	m.Header.Set("Nats-Msg-Id", id)
	if _, err := s.js.PublishMsg(s.t.Context(), m); err != nil {
		s.t.Fatal(err)
	}
}

// logged returns every decision in the decision logs, by partition and in
// order. A position that stands twice is a failure.
func (s *stage) logged() []actions.Control {
	s.t.Helper()
	var out []actions.Control
	for p := range partitions {
		out = append(out, s.loggedOn(p)...)
	}
	return out
}
