package escalate

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// send posts with a client of its own and leaves nothing open.
func send(t *testing.T, guarded bool, to string) error {
	t.Helper()
	c := newClient(guarded)
	defer c.CloseIdleConnections()
	return post(t.Context(), c, to, http.Header{"Webhook-Id": {"m1"}}, []byte(`{}`))
}

// A name that resolves to a private address is found out where it is dialed.
func TestPrivateAddressesAreNotReached(t *testing.T) {
	e := newEar(t)
	_, port, err := net.SplitHostPort(e.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "127.1.2.3"} {
		err := send(t, true, "http://"+host+":"+port+"/hook")
		if !errors.Is(err, errPrivate) && (host != "localhost" || err == nil) {
			t.Errorf("%s: %v, want that it is private", host, err)
		}
	}
	if n := len(e.requests()); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
	if err := send(t, false, "http://127.0.0.1:"+port+"/hook"); err != nil || len(e.requests()) != 1 {
		t.Errorf("where it is allowed: %v", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	inner := newEar(t)
	for _, code := range []int{301, 302, 303, 307, 308} {
		outer := httptest.NewServer(http.RedirectHandler(inner.URL+"/secret", code))
		err := send(t, false, outer.URL)
		outer.Close()
		if err == nil || !strings.Contains(err.Error(), "redirects are not followed") {
			t.Errorf("%d: %v", code, err)
		}
	}
	if n := len(inner.requests()); n != 0 {
		t.Errorf("%d requests were led on", n)
	}
}

func TestWhatReceiversAnswer(t *testing.T) {
	e := newEar(t)
	for code, want := range map[int]string{
		200: "", 202: "", 204: "", 400: "status 400", 401: "status 401", 410: "gone", 429: "status 429", 500: "status 500", 503: "status 503",
	} {
		e.answer(code)
		err := send(t, false, e.URL+"/hooks/T0KEN")
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%d: %v, want %q", code, err, want)
		case err != nil && strings.Contains(err.Error(), "T0KEN"):
			t.Errorf("%d: the error tells the path: %v", code, err)
		case (code == 410) != errors.Is(err, errGone):
			t.Errorf("%d: gone is %v", code, err)
		}
	}
	e.Close()
	if err := send(t, false, e.URL+"/hooks/T0KEN"); err == nil || strings.Contains(err.Error(), "T0KEN") {
		t.Errorf("of one that is away: %v", err)
	}
}

// An answer without end is not read to its end.
func TestAnswersAreBounded(t *testing.T) {
	var sent atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		block := make([]byte, 64<<10)
		for r.Context().Err() == nil {
			n, err := w.Write(block)
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	}))
	defer srv.Close()
	if err := send(t, false, srv.URL); err != nil {
		t.Errorf("an answer that is too long: %v", err)
	}
}

func TestAReceiverThatSaysNothingIsLeft(t *testing.T) {
	released := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-released }))
	defer srv.Close()
	defer close(released)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	c := newClient(false)
	defer c.CloseIdleConnections()
	if err := post(ctx, c, srv.URL, http.Header{}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want that the time is over", err)
	}
	if c.Timeout != sendPatience {
		t.Errorf("a request may last %v", c.Timeout)
	}
}

// TLS is verified: a certificate that nobody knows is refused.
func TestTLSIsVerified(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") }))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	if err := send(t, false, srv.URL); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v", err)
	}
}

func TestPausesGrowWithinBounds(t *testing.T) {
	for n, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 9: 256 * time.Second, 10: longestPause, 400: longestPause} {
		for range 50 {
			if got := pauseAfter(n); got < want/2 || got > want {
				t.Fatalf("after %d failures %v, want %v to %v", n, got, want/2, want)
			}
		}
	}
}
