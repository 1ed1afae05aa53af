package main

import (
	"io"
	"strings"
	"testing"
	"time"
)

// Who waits for a bus that is not there is told so, and who finds it at once
// is not.
func TestSayWaiting(t *testing.T) {
	r, w := io.Pipe()
	defer sayWaiting(w)()
	sayWaiting(failing{t})()
	said := make(chan string, 1)
	go func() {
		b := make([]byte, 200)
		n, _ := r.Read(b)
		said <- string(b[:n])
	}()
	select {
	case s := <-said:
		if !strings.HasPrefix(s, "waiting for NATS") {
			t.Errorf("said %q", s)
		}
	case <-time.After(time.Minute):
		t.Error("nothing is said")
	}
}

// failing is a writer that nothing is to be written to.
type failing struct{ t *testing.T }

func (f failing) Write(b []byte) (int, error) {
	f.t.Errorf("said %q", b)
	return len(b), nil
}
