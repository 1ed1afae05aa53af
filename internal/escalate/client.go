package escalate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	sendPatience = 10 * time.Second // of one request, whole
	mostAnswer   = 64 << 10         // bytes of an answer that are read, and not looked at
	firstPause   = time.Second
	longestPause = 5 * time.Minute
)

// newClient returns a client that follows no redirect, knows no proxy and keeps
// no cookie. With guarded it connects to public addresses only.
func newClient(guarded bool) *http.Client {
	d := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	if guarded {
		d.Control = onlyPublic
	}
	return &http.Client{
		Timeout: sendPatience,
		Transport: &http.Transport{
			DialContext: d.DialContext, TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: sendPatience,
			MaxResponseHeaderBytes: mostAnswer, MaxIdleConnsPerHost: hooksAtOnce, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// errGone says that a receiver wants to hear no more (410).
var errGone = errors.New("the receiver is gone (410)")

// post sends a body and wants a 2xx. The error names the host alone: paths of
// webhooks are secrets.
func post(ctx context.Context, c *http.Client, to string, header http.Header, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, sendPatience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("post to %s: not a request", hostOf(to))
	}
	maps.Copy(r.Header, header)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "loopwatch")
	resp, err := c.Do(r)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return fmt.Errorf("post to %s: %w", hostOf(to), err)
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, mostAnswer)
	switch code := resp.StatusCode; {
	case code/100 == 2:
		return nil
	case code == http.StatusGone:
		return fmt.Errorf("post to %s: %w", hostOf(to), errGone)
	case code/100 == 3:
		return fmt.Errorf("post to %s: status %d: redirects are not followed: name the address it leads to", hostOf(to), code)
	default:
		return fmt.Errorf("post to %s: status %d", hostOf(to), code)
	}
}

// pauseAfter is how long to wait after n failures in a row: twice as long each
// time up to a bound, and a random part of half of it, so that many who failed
// together do not come back together.
func pauseAfter(n int) time.Duration {
	d := longestPause
	if n < 10 {
		d = min(firstPause<<max(n-1, 0), longestPause)
	}
	return d/2 + rand.N(d/2+1) //nolint:gosec // spreads load, guards nothing
}
