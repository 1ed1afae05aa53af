package e2e

import (
	"net"
	"sync"
	"testing"
	"time"
)

// proxy stands between a processor and a NATS server and does to the bytes what
// networks do.
type proxy struct {
	t        *testing.T
	listener net.Listener
	server   string

	mu    sync.Mutex
	conns map[net.Conn]net.Conn // client to server
	mode  string                // "", delay, swallow, half
	heal  chan struct{}         // closed when the mode ends
}

// newProxy forwards to the server at an address.
func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, listener: l, server: server, conns: map[net.Conn]net.Conn{}, heal: make(chan struct{})}
	t.Cleanup(func() {
		_ = l.Close()
		p.set("")
		p.cut()
	})
	go p.accept()
	return p
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns[client] = server
		p.mu.Unlock()
		go p.copy(server, client, true)
		go p.copy(client, server, false)
	}
}

// copy forwards one direction, up being towards the server, as the mode says.
func (p *proxy) copy(to, from net.Conn, up bool) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			p.pass(up)
			if _, werr := to.Write(buf[:n]); werr != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// pass waits as long as the network holds the bytes back.
func (p *proxy) pass(up bool) {
	p.mu.Lock()
	mode, heal := p.mode, p.heal
	p.mu.Unlock()
	switch {
	case mode == "delay":
		select {
		case <-time.After(20 * time.Millisecond):
		case <-heal:
		}
	case mode == "swallow", mode == "half" && !up:
		<-heal
	}
}

// set begins a mode; the one before ends.
func (p *proxy) set(mode string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.heal)
	p.mode, p.heal = mode, make(chan struct{})
}

// cut ends every connection.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c, s := range p.conns {
		_, _ = c.Close(), s.Close()
	}
	clear(p.conns)
}

// A network that cuts, delays, holds everything back, or lets only one
// direction through, changes nothing of what is decided.
func TestTheNetworkFails(t *testing.T) {
	rnd := seed(t)
	const preset = "sundry"
	s := newStage(t, preset)
	between := newProxy(t, s.cfg.Listen)
	direct := s.url
	s.url = "nats://" + between.listener.Addr().String()
	through, data, ended := s.url, t.TempDir(), 0
	p := s.start(data, "")
	s.url = direct
	s.wait(p)
	lines := recorded(t, 48)
	rounds, hold := 8, 800
	if soak() {
		rounds, hold, lines = 24, 4000, recorded(t, 12)
	}
	step := len(lines)/rounds + 1
	faults := map[string]int{}
	for i := 0; i < len(lines); i += step {
		fault := []string{"cut", "delay", "swallow", "half"}[(i/step)%4]
		faults[fault]++
		if fault == "cut" {
			between.cut()
		} else {
			between.set(fault)
		}
		s.feed(lines[i:min(i+step, len(lines))])
		select {
		case <-time.After(time.Duration(rnd.IntN(hold)) * time.Millisecond):
		case <-p.done:
		}
		between.set("")
		select {
		case <-p.done: // a network that is silent for too long ends it, and a supervisor starts it again
			ended++
			s.url = through
			p = s.start(data, "")
			s.url = direct
		default:
		}
	}
	n := s.judged(preset, p)
	if n == 0 {
		t.Fatal("nothing was decided: the test proves nothing")
	}
	t.Logf("%v, %d events, %d acted decisions, the processor ended %d times", faults, len(lines), n, ended)
	p.stop(t)
}

// A server that restarts changes nothing of what is decided.
func TestTheServerRestarts(t *testing.T) {
	const preset = "forty-times"
	s := newStage(t, preset)
	p := s.start(t.TempDir(), "")
	s.wait(p)
	lines := recorded(t, 48)
	rounds := 4
	if soak() {
		rounds = 30
	}
	step := len(lines)/rounds + 1
	for i := 0; i < len(lines); i += step {
		s.feed(lines[i:min(i+step, len(lines))])
		s.srv.Shutdown()
		s.serve()
		s.until("the client is back", s.nc.IsConnected)
	}
	n := s.judged(preset, p)
	if n == 0 {
		t.Fatal("nothing was decided: the test proves nothing")
	}
	t.Logf("%d restarts, %d events, %d acted decisions", rounds, len(lines), n)
	p.stop(t)
}
