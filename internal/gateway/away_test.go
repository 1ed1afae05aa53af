package gateway_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/gateway"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// While the bus is away everything is answered, and at once; what is sent
// again afterwards is there once and in order, and who waited is told.
func TestTheBusGoesAway(t *testing.T) {
	s := newStage(t, "sundry", nil)
	_, h := s.ask(start("r1"))
	poll := s.waiting("r1", h.Get("Lw-After"))
	if r := s.do("GET", "/readyz", ""); r.status != 200 {
		t.Errorf("ready: %d", r.status)
	}
	first, second := call("r1", 1, "c1", parcel), result("r1", 2, "c1", noScans)
	s.take(first)
	s.stop()
	s.srv.Shutdown()
	s.until("the gateway notices", func() bool { return s.do("GET", "/readyz", "").status == 503 })
	for _, e := range []struct{ method, path, body string }{
		{"POST", "/v1/events", first + "\n" + second}, {"POST", "/v1/check", call("r1", 3, "c2", parcel)}, {"POST", "/v1/check", start("r2")},
		{"GET", "/v1/runs", ""}, {"GET", "/v1/runs/r1", ""}, {"GET", "/v1/halts", ""}, {"GET", "/v1/runs/r1/control", ""}, {"GET", "/v1/runs/r1/control?after=ctl_x", ""},
	} {
		r := s.do(e.method, e.path, e.body)
		if r.status != 503 || r.code() != "bus_away" || r.header.Get("Retry-After") == "" {
			t.Errorf("%s %s: %d %s", e.method, e.path, r.status, r.body)
		}
	}
	if r := s.do("GET", "/livez", ""); r.status != 200 {
		t.Errorf("alive: %d", r.status)
	}
	s.serve()
	s.until("the gateway is back", func() bool { return s.do("GET", "/readyz", "").status == 200 })
	s.process()
	if got := s.take(first + "\n" + second); got.Accepted != 2 {
		t.Errorf("taken as %+v", got)
	}
	s.ask(call("r1", 3, "c2", parcel))
	if diff := cmp.Diff([]string{"r1-start", "r1-c1", "r1-c1-r", "r1-c2"}, s.stored("r1")); diff != "" {
		t.Errorf("stored (-want +have):\n%s", diff)
	}
	if got := read(t, receive(t, "the poll", poll)); len(got.Controls) != 1 {
		t.Errorf("told %v", got.kinds())
	}
}

// Without a processor, listings say so.
func TestNobodyIsThereToAsk(t *testing.T) {
	s := newStage(t, "default", nil)
	s.stop()
	for _, path := range []string{"/v1/runs", "/v1/runs/r1", "/v1/halts"} {
		s.want(s.do("GET", path, ""), 503, "no_processor")
	}
	if got := s.take(said("r1-1", "turn", "r1", 1, `"round":1,"turn":{}`)); got.Accepted != 1 {
		t.Errorf("taken as %+v", got)
	}
}

// A bus that is full is back-pressure: the caller is told to come again, and
// what it sends then is taken.
func TestTheBusIsFull(t *testing.T) {
	s := newStage(t, "default", func(c *gateway.Config) { c.StoreWait = 200 * time.Millisecond })
	js, err := jetstream.New(s.nc)
	if err != nil {
		t.Fatal(err)
	}
	limit := func(bytes int64) {
		for p := range partitions {
			stream, err := js.Stream(t.Context(), events.EventStream(p))
			if err != nil {
				t.Fatal(err)
			}
			cfg := stream.CachedInfo().Config
			if cfg.MaxBytes = bytes; bytes > 0 {
				cfg.MaxBytes = int64(stream.CachedInfo().State.Bytes) + bytes
			}
			if _, err := js.UpdateStream(t.Context(), cfg); err != nil {
				t.Fatal(err)
			}
		}
	}
	body := said("r1-1", "turn", "r1", 1, `"round":1,"turn":{}`)
	limit(50)
	r := s.do("POST", "/v1/events", body)
	s.want(r, 429, "bus_full")
	if r.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.want(s.do("POST", "/v1/check?deadline_ms=200", call("r1", 1, "c1", parcel)), 429, "bus_full")
	limit(-1)
	if got := s.take(body); got.Accepted != 1 || len(s.stored("r1")) != 1 {
		t.Errorf("taken as %+v, stored %v", got, s.stored("r1"))
	}
}
