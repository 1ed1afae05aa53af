package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// canaries is how many events are sent, each with a canary in every field that
// carries text. Names (of tools, models, fields that are asked for) are not text:
// the state keeps them.
const canaries = 10_000

// canary is a text that must not be found anywhere but in the event streams,
// and, cut and sanitised, in the decision log. Its control characters must not
// survive there.
const canary = "CANARYquetzalcoatl"

// canaryLine is one event of run r<n/20> full of canaries. Every second run
// repeats itself, so that there is something to decide and to quote.
func canaryLine(n int) (subject, id string, body []byte) {
	run := fmt.Sprintf("r%d", n/20)
	word := fmt.Sprintf("%s-%d\x1b[31m\u202e", canary, n)
	if n/20%2 == 0 {
		word = canary + "-same\x1b[31m\u202e"
	}
	e := events.Event{
		V: 1, ID: fmt.Sprintf("e%d", n), Tenant: "default", Agent: "agent", Task: run, Run: run,
		Seq: uint64(n%20 + 1), Time: baseTime.Add(time.Duration(n) * time.Second), Round: n%20/2 + 1,
	}
	quoted := events.RawJSON(fmt.Sprintf("%q", canary+"-arg"))
	switch n % 20 {
	case 0:
		e.Kind, e.Round, e.Start = events.RunStart, 0, &events.Start{Goal: word}
	case 18:
		e.Kind, e.Turn = events.TurnKind, &events.Turn{Text: word, State: events.RawJSON(`{"s":` + string(quoted) + `}`), Asks: []string{"email"}, Known: []string{"order"}}
	case 19:
		e.Kind, e.Round = events.RunEnd, 0
		e.End = &events.End{Status: events.Blocked, Reason: word, Blocked: &events.Blocker{Attempted: []string{word}, Blocker: word, Needs: word}}
	default:
		e.Round = (n%20-1)/2 + 1
		if n%2 == 1 {
			e.Kind = events.ToolCall
			e.Call = &events.Call{ID: fmt.Sprint("c", e.Round), Tool: "look", Args: events.RawJSON(`{"` + canary + `":` + string(quoted) + `}`)}
		} else {
			e.Kind = events.ToolResult
			e.Result = &events.Result{CallID: fmt.Sprint("c", e.Round), Tool: "look", Error: &events.Error{Message: word, Code: canary}}
		}
	}
	body, err := events.Encode(e)
	if err != nil {
		panic(err)
	}
	if n%500 == 7 { // and some that are refused
		body = append([]byte(canary), body...)
	}
	return events.EventSubject("default", "agent", run, run), e.ID, body
}

// No text of an event is found in what the processor keeps, logs, counts or is
// in the middle of; the decision log holds excerpts that are short and clean.
func TestCanaries(t *testing.T) {
	s := newStage(t, "default")
	var log bytes.Buffer
	data := t.TempDir()
	a, err := app.Start(t.Context(), app.Options{
		Dial: natsbus.Dial{URL: s.url}, Data: data, Version: "test", Ops: "127.0.0.1:0",
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	s.flood(canaries)
	receive(t, "the processor to be ready", a.Processor.Ready())
	s.until("everything is applied", func() bool { return s.behind(s.bounded(), s.fleet()) == 0 })
	clean := func(where string, text []byte) {
		t.Helper()
		if i := bytes.Index(text, []byte(canary)); i >= 0 {
			t.Errorf("%s holds a canary: …%.120q…", where, text[max(i-40, 0):])
		}
	}
	var dump bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&dump, 2); err != nil {
		t.Fatal(err)
	}
	clean("the goroutine dump", dump.Bytes())
	clean("the metrics", scrape(t, "http://"+a.OpsAddr+"/metrics"))
	acted := 0
	for _, c := range s.logged() {
		body, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(body, []byte(canary)) {
			acted++
		}
		if len(body) > 16<<10 || strings.ContainsAny(string(body), "\x1b\u202e") || bytes.Contains(body, []byte(`\u001b`)) {
			t.Errorf("a decision of %d bytes holds what is not sanitised: %.300q", len(body), body)
		}
	}
	if acted == 0 {
		t.Error("no decision quotes a canary; nothing was tried")
	}
	for at, l := range s.letters() {
		clean("the dead letter on "+at, []byte(l.Detail+l.Event))
	}
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	clean("the log", log.Bytes())
	n := 0
	err = filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		n += len(b)
		clean(path, b)
		return err
	})
	if err != nil || n < 100_000 {
		t.Errorf("the data directory holds %d bytes, %v", n, err)
	}
}

// flood stores the canaries, many at a time, but those of a run in order.
func (s *stage) flood(n int) {
	s.t.Helper()
	js, err := jetstream.New(s.nc, jetstream.WithPublishAsyncMaxPending(500))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range n {
		subject, id, body := canaryLine(i)
		m := nats.NewMsg(subject)
		m.Data = body
		m.Header.Set(events.HeaderMsgID, id)
		if _, err := js.PublishMsgAsync(m, jetstream.WithStallWait(patience)); err != nil {
			s.t.Fatal(err)
		}
	}
	receive(s.t, "everything is stored", js.PublishAsyncComplete())
}

func scrape(t *testing.T, url string) []byte {
	t.Helper()
	r, err := http.Get(url) //nolint:gosec,noctx // of our own processor
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	var b bytes.Buffer
	if _, err := b.ReadFrom(r.Body); err != nil || !strings.Contains(b.String(), "loopwatch_events_total") {
		t.Fatalf("metrics: %v", err)
	}
	return b.Bytes()
}
