package gateway

import (
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// leastShare is what a request costs at least of the bytes under way.
const leastShare = 16 << 10

// budget bounds the bytes of bodies that are being worked on.
type budget struct{ left atomic.Int64 }

// take returns false where n bytes are more than is left.
func (b *budget) take(n int64) bool {
	if b.left.Add(-n) < 0 {
		b.left.Add(n)
		return false
	}
	return true
}

func (b *budget) give(n int64) { b.left.Add(n) }

// read reads the whole body of a JSON request within the limits of size and
// time. Where too much is under way already nothing is read. done gives the
// request's share back.
func (g *Gateway) read(w http.ResponseWriter, r *http.Request) (body []byte, done func(), err error) {
	if f := wantJSON(r); f != nil {
		return nil, nil, f
	}
	if r.ContentLength > g.cfg.Front.MaxBody {
		return nil, nil, g.tooLarge()
	}
	share := max(r.ContentLength, leastShare)
	if r.ContentLength < 0 {
		share = g.cfg.Front.MaxBody
	}
	if !g.budget.take(share) {
		return nil, nil, &Fault{
			Status: http.StatusTooManyRequests, Code: "busy", Message: "the gateway has too much under way",
			Hint: "send the same request again later", Retry: 1,
		}
	}
	done = func() { g.budget.give(share) }
	if body, err = g.readAll(w, r); err != nil {
		done()
		return nil, nil, err
	}
	return body, done, nil
}

func (g *Gateway) readAll(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(g.cfg.BodyWait)) // a writer without deadlines is a test's
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, g.cfg.Front.MaxBody))
	var big *http.MaxBytesError
	var slow net.Error
	switch {
	case err == nil:
		_ = c.SetReadDeadline(time.Time{})
		return body, nil
	case errors.As(err, &big):
		return nil, g.tooLarge()
	case errors.As(err, &slow) && slow.Timeout():
		w.Header().Set("Connection", "close")
		return nil, &Fault{
			Status: http.StatusRequestTimeout, Code: "slow", Message: "the body did not arrive within " + g.cfg.BodyWait.String(),
			Hint: "send less at once",
		}
	}
	return nil, unreadable("the body ended early")
}

func (g *Gateway) tooLarge() *Fault {
	return &Fault{
		Status: http.StatusRequestEntityTooLarge, Code: "too_large",
		Message: "the body is larger than " + strconv.FormatInt(g.cfg.Front.MaxBody, 10) + " bytes",
		Hint:    "send fewer events at once; cut long content and say so with content_sha",
	}
}

// wantJSON refuses what a web page can send without asking first.
func wantJSON(r *http.Request) *Fault {
	t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	enc := r.Header.Get("Content-Encoding")
	if err == nil && (t == "application/json" || t == "application/x-ndjson") && (enc == "" || enc == "identity") {
		return nil
	}
	return &Fault{
		Status: http.StatusUnsupportedMediaType, Code: "not_json", Message: "the content type is not JSON, or the body is encoded",
		Hint: "send Content-Type: application/json or application/x-ndjson, not compressed",
	}
}
