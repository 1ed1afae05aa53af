package reportapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/demo"
	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/gateway"
	"github.com/loopwatch/loopwatch/internal/ingest"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/internal/report"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// house is a processor with its gateway and a fleet that has come to its end.
type house struct {
	t     *testing.T
	app   *app.App
	fleet demo.Fleet
}

func live(t *testing.T) *house {
	t.Helper()
	policy, err := actions.Parse([]byte("name: experiment\nextends: default\nholdout: {share: 0.3}\nobservation: {variant: split}\n"))
	if err != nil {
		t.Fatal(err)
	}
	front, err := gateway.Options{HTTP: "127.0.0.1:0"}.Load()
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t}
	h.app, err = app.Start(t.Context(), app.Options{Embedded: true, Volatile: true, Data: t.TempDir(), Policy: policy, Version: "test", HTTP: &front})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.app.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := h.app.Close(); err != nil {
			t.Error(err)
		}
	})
	h.awaitPolicy()
	if err := h.fleet.Run(t.Context(), demo.Options{
		URL: h.app.URL, Trusted: actions.NewKeyRing(h.app.Keys.Control.Public()), Guard: policy, Agents: 40, Seed: 3, Duration: 2 * time.Second,
	}); err != nil {
		t.Fatal(err)
	}
	return h
}

// awaitPolicy waits until every partition has its policy event.
func (h *house) awaitPolicy() {
	h.t.Helper()
	nc, err := nats.Connect(h.app.URL)
	if err != nil {
		h.t.Fatal(err)
	}
	defer nc.Close()
	nb, err := natsbus.New(nc, 16)
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	for p := 0; p < nb.Partitions(); {
		if at, err := nb.EventState(ctx, p); err == nil && at.Last > 0 {
			p++
			continue
		}
		select {
		case <-ctx.Done():
			h.t.Fatalf("partition %d has no policy", p)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// get asks the gateway.
func (h *house) get(path string) (status int, kind string, body []byte) {
	h.t.Helper()
	res, err := http.Get(h.app.HTTPURL + path)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err = io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Content-Type"), body
}

func (h *house) report(path string) report.Report {
	h.t.Helper()
	status, _, body := h.get(path)
	var r report.Report
	if err := json.Unmarshal(body, &r); err != nil || status != http.StatusOK {
		h.t.Fatalf("GET %s: %d, %v: %s", path, status, err, body)
	}
	return r
}

// dumped reports on a dump of the same bus, with decisions by replay.
func (h *house) dumped() report.Report {
	h.t.Helper()
	nc, err := nats.Connect(h.app.URL)
	if err != nil {
		h.t.Fatal(err)
	}
	defer nc.Close()
	nb, err := natsbus.New(nc, 16)
	if err != nil {
		h.t.Fatal(err)
	}
	var trace bytes.Buffer
	for p := range nb.Partitions() {
		if _, _, err := fleet.Dump(h.t.Context(), nb, p, "", &trace); err != nil {
			h.t.Fatal(err)
		}
	}
	c, err := report.New(report.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	fallback, err := actions.Preset(actions.DefaultPreset)
	if err != nil {
		h.t.Fatal(err)
	}
	r, err := replay.New(replay.Options{
		Fallback: fallback, Spool: h.t.TempDir(), Message: func(m *actions.Message) error { c.Decision(m); return nil },
	}, func(replay.Line) error { return nil })
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	err = ingest.Read("dump", &trace, ingest.Loopwatch, func(e events.Event, raw []byte) error {
		c.Event(&e)
		return r.Feed(e, raw)
	}, func(f replay.Fault) { h.t.Error(f) })
	if err != nil {
		h.t.Fatal(err)
	}
	if err := r.Finish(); err != nil {
		h.t.Fatal(err)
	}
	return c.Finish()
}

// What the bus says of a real fleet is what its dump says, and what became of
// the agents.
func TestTheReportOfALiveFleet(t *testing.T) {
	h := live(t)
	got := h.report("/v1/report/all")
	if diff := cmp.Diff(h.dumped(), got); diff != "" {
		t.Errorf("the bus and its dump differ (-dump +bus):\n%s", diff)
	}
	lines := h.fleet.Lines()
	blocked, spent := 0, 0.0
	for _, l := range lines {
		spent += l.Spent
		if l.Status == "blocked" {
			blocked++
		}
	}
	if got.Counted.Runs != len(lines) || got.Counted.Live != 0 || got.Rates.Overall.Closed != len(lines) {
		t.Errorf("%+v, %+v: want %d runs", got.Counted, got.Rates.Overall, len(lines))
	}
	if got.Blocked.Runs != blocked || blocked == 0 {
		t.Errorf("%d blocked runs, in truth %d", got.Blocked.Runs, blocked)
	}
	repeated := map[string]bool{}
	for _, tool := range got.Tools.Tools {
		repeated[tool.Tool] = tool.Repeats > 0
	}
	want := map[string]bool{ // deployment_status and web_search bring something new each time
		"track_parcel": true, "run_tests": true, "get_record": true, "deployment_status": false, "web_search": false, "get_order": false,
	}
	for tool, is := range want {
		if repeated[tool] != is {
			t.Errorf("%s is repeated: %v, want %v", tool, repeated[tool], is)
		}
	}
	if s := got.Savings; s.Holdout.Runs == 0 || math.Abs(s.Total.USD) > spent*100 {
		t.Errorf("savings %+v of a fleet that spent %v", s, spent)
	}
}

func TestRequests(t *testing.T) {
	h := live(t)
	for _, tt := range []struct {
		name, path string
		status     int
		kind       string
		holds      string
	}{
		{"one report", "/v1/report/rates", 200, "application/json", `"rates":`},
		{"of one agent", "/v1/report/rates?agent=deployer&bucket=1m&within=5&since=1h", 200, "application/json", `"agent":"deployer"`},
		{"a page", "/v1/report/all?format=html", 200, "text/html; charset=utf-8", "<h2 id=\"tools\">"},
		{"before anything was", "/v1/report/tools?until=2020-01-01T00:00:00Z", 200, "application/json", `"runs":0`},
		{"no report", "/v1/report/costs", 404, "application/json", "no_report"},
		{"another format", "/v1/report/all?format=pdf", 400, "application/json", "bad_query"},
		{"a time in words", "/v1/report/all?since=yesterday", 400, "application/json", "bad_query"},
		{"an end in words", "/v1/report/all?until=soon", 400, "application/json", "bad_query"},
		{"no turns", "/v1/report/all?within=0", 400, "application/json", "bad_query"},
		{"a narrow bucket", "/v1/report/all?bucket=1s", 400, "application/json", "bad_query"},
		{"a name that is none", "/v1/report/all?agent=a.b", 400, "application/json", "bad_query"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, kind, body := h.get(tt.path)
			if status != tt.status || kind != tt.kind || !bytes.Contains(body, []byte(tt.holds)) {
				t.Errorf("%d %s %.300s; want %d %s with %s", status, kind, body, tt.status, tt.kind, tt.holds)
			}
		})
	}
}
