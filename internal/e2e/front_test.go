package e2e

import (
	"bufio"
	"bytes"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// front is the real binary with its own bus and an HTTP API.
type front struct {
	t         *testing.T
	bin, data string
	bus, http string // addresses
	nats, url string
	cmd       *exec.Cmd
}

// serve starts one.
func serve(t *testing.T, bin string) *front {
	t.Helper()
	f := &front{t: t, bin: bin, data: t.TempDir(), bus: "127.0.0.1:0", http: "127.0.0.1:0"}
	f.start()
	t.Cleanup(f.kill)
	return f
}

var readyLine = regexp.MustCompile(`^ready.* NATS at (nats://([^\s,]+)), API at (http://([^\s,]+))`)

// start starts it; after kill at the same addresses and with the same data.
func (f *front) start() {
	f.t.Helper()
	f.cmd = exec.Command(f.bin, "run", "--embedded", "--listen", f.bus, "--http", f.http, "--data", f.data, "--policy", "sundry")
	out, err := f.cmd.StderrPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := f.cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	ready := make(chan []string, 1)
	var said bytes.Buffer
	go func() {
		defer close(ready)
		found := false
		for s := bufio.NewScanner(out); s.Scan(); {
			if m := readyLine.FindStringSubmatch(s.Text()); m != nil && !found {
				found = true
				ready <- m
			} else if !found {
				said.WriteString(s.Text() + "\n")
			}
		}
	}()
	m := receive(f.t, "the gateway to become ready", ready)
	if m == nil {
		f.t.Fatalf("the gateway ended:\n%s", &said)
	}
	f.nats, f.bus, f.url, f.http = m[1], m[2], m[3], m[4]
}

// kill ends the process as hard as the system can.
func (f *front) kill() {
	_ = f.cmd.Process.Kill() // it may have ended already
	_ = f.cmd.Wait()
}

// until waits for a condition.
func (f *front) until(what string, ok func() bool) {
	f.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for over := time.After(patience); !ok(); {
		select {
		case <-tick.C:
		case <-over:
			f.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// dump returns what is stored of a run, in stream order.
func (f *front) dump(t *testing.T, run string) []events.Event {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), f.bin, "dump", "--nats", f.nats, "--run", run).Output()
	if err != nil {
		t.Fatalf("dump %s: %v", run, err)
	}
	var all []events.Event
	for line := range bytes.Lines(out) {
		e, err := events.Decode(line, 0)
		if err != nil {
			t.Fatalf("dump %s: %v in %s", run, err, line)
		}
		if e.Run == run {
			all = append(all, e)
		}
	}
	return all
}
