package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/gateway"
)

func TestBodiesThatAreTooLarge(t *testing.T) {
	s := guarded(t, "default", func(c *gateway.Config) { c.Front.MaxBody = 2000 })
	s.token = supportToken
	fits := said("r1-1", "turn", "r1", 1, `"round":1,"turn":{"text":"`+strings.Repeat("x", 1700)+`"}`)
	if got := s.take(fits); got.Accepted != 1 {
		t.Errorf("taken as %+v", got)
	}
	big := strings.Repeat(" ", 2001)
	for _, path := range []string{"/v1/events", "/v1/check", "/v1/halts"} {
		if path == "/v1/halts" {
			s.token = operatorToken
		}
		s.want(s.do("POST", path, big), 413, "too_large")
		// Without a length it is found out on the way.
		r, err := s.send(t.Context(), "POST", path, io.MultiReader(strings.NewReader(big)))
		if err != nil {
			t.Fatal(err)
		}
		s.want(r, 413, "too_large")
	}
}

// A body that does not come is given up, whatever route it is for, and
// whether or not anybody reads it.
func TestSlowBodies(t *testing.T) {
	s := guarded(t, "default", func(c *gateway.Config) { c.BodyWait = 50 * time.Millisecond })
	for _, c := range []struct {
		path, kind, token string
		status            int
	}{
		{"/v1/events", "application/json", supportToken, 408}, {"/v1/check", "application/json", supportToken, 408},
		{"/v1/halts", "application/json", operatorToken, 408},
		{"/v1/events", "text/plain", supportToken, 415}, {"/v1/events", "application/json", "", 401},
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: 100\r\n\r\n{\"v\":1", c.path, c.token, c.kind)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(conn)
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := reply{status: res.StatusCode}
		r.body, err = io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := seen.check("POST", c.path, r); err != nil || r.status != c.status {
			t.Errorf("%s: %d %s, %v", c.path, r.status, r.body, err)
		}
		if _, err := in.ReadByte(); err != io.EOF {
			t.Errorf("%s: the connection is kept: %v", c.path, err)
		}
	}
}

// While too much is under way the next one is told to come again.
func TestBackPressure(t *testing.T) {
	s := guarded(t, "default", func(c *gateway.Config) { c.MaxBytes = gateway.DefaultBody + 10<<10 })
	s.token = supportToken
	hold, release := io.Pipe()
	first := make(chan error, 1)
	go func() {
		_, err := s.send(t.Context(), "POST", "/v1/events", hold)
		first <- err
	}()
	body := said("r1-1", "turn", "r1", 1, `"round":1,"turn":{}`)
	s.until("the gateway is busy", func() bool { return s.do("POST", "/v1/events", "[]").status == 429 })
	for _, path := range []string{"/v1/events", "/v1/check"} {
		r := s.do("POST", path, body)
		s.want(r, 429, "busy")
		if r.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", path)
		}
	}
	s.want(s.with(operatorToken).do("POST", "/v1/halts", "{}"), 429, "busy")
	if _, err := io.WriteString(release, "[]"); err != nil {
		t.Fatal(err)
	}
	_ = release.Close()
	if err := receive(t, "the first body", first); err != nil {
		t.Error(err)
	}
	if got := s.take(body); got.Accepted != 1 {
		t.Errorf("afterwards: %+v", got)
	}
}

// An event that the processor would take and the bus does not is refused by
// itself.
func TestWhatTheBusNeverTakes(t *testing.T) {
	s := newStage(t, "default", func(c *gateway.Config) { c.Front.MaxBody, c.MaxEvent = 4<<20, 4<<20 })
	turn := func(seq int, text string) string {
		return said(fmt.Sprintf("r1-%d", seq), "turn", "r1", seq, fmt.Sprintf(`"round":%d,"turn":{"text":%q}`, seq, text))
	}
	got := s.take("[" + turn(1, "a") + "," + turn(2, strings.Repeat("x", 2<<20)) + "," + turn(3, "b") + "]")
	if got.Accepted != 2 || len(got.Rejected) != 1 || got.Rejected[0].Index != 1 || got.Rejected[0].Reason != "too_large" {
		t.Errorf("taken as %+v", got)
	}
	s.want(s.do("POST", "/v1/check", turn(4, "x")[:0]+call("r1", 4, "c1", fmt.Sprintf("%q", strings.Repeat("x", 2<<20)))), 413, "too_large")
}
