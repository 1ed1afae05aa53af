package worker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

var runID = state.RunID{Tenant: "default", Task: "t1", Run: "r1"}

// stored returns the events in the stream, waiting until there are n.
func (b *bus) stored(n int) []said {
	b.t.Helper()
	s, err := b.js.Stream(testContext(b.t), events.EventStream(0))
	if err != nil {
		b.t.Fatal(err)
	}
	var out []said
	for seq := uint64(1); len(out) < n; {
		m, err := s.GetMsg(testContext(b.t), seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			select {
			case <-time.After(5 * time.Millisecond):
				continue
			case <-testContext(b.t).Done():
				b.t.Fatalf("%d events are stored, want %d", len(out), n)
			}
		}
		if err != nil {
			b.t.Fatal(err)
		}
		e, err := events.Decode(m.Data, events.DefaultLimit)
		if err != nil {
			b.t.Fatal(err)
		}
		out = append(out, said{Event: e})
		seq++
	}
	return out
}

// While the server is away the agent goes on without waiting, and what it said
// arrives when it is back: in order, all of it, none twice.
func TestOutage(t *testing.T) {
	b := newBus(t)
	cfg := b.config()
	cfg.NoGuard, cfg.Guard = false, preset(t, "default")
	r := b.run(cfg)
	b.stop()
	const calls = 20
	for i := range calls { // Wait is longer than the test: nothing is waited for
		out, err := r.Do(testContext(t), "read", map[string]any{"page": i}, func(context.Context) (any, error) { return fmt.Sprint("page ", i), nil })
		if err != nil || out.Text() != fmt.Sprint("page ", i) {
			t.Fatalf("Do: %+v, %v", out, err)
		}
	}
	b.restart()
	if err := r.End(testContext(t), events.Done, ""); err != nil {
		t.Fatal(err)
	}
	all := b.stored(2*calls + 2)
	for i, s := range all {
		if s.Seq != uint64(i) { // run_start has 0
			t.Errorf("event %d has seq %d", i, s.Seq)
		}
	}
	if k := all[len(all)-1].Kind; k != events.RunEnd || r.Dropped() != 0 {
		t.Errorf("the last event is a %s; %d were dropped", k, r.Dropped())
	}
}

// A full queue drops what is new and counts it; the end is said all the same
// and the gap is visible.
func TestQueueIsBounded(t *testing.T) {
	b := newBus(t)
	cfg := b.config()
	cfg.Queue = 5
	r := b.run(cfg)
	b.stop()
	for range 9 {
		if err := r.Message("assistant", "", "hello"); err != nil {
			t.Fatal(err)
		}
	}
	dropped := r.Dropped() // 4, and one more where run_start was not acknowledged yet
	if dropped < 4 || dropped > 5 {
		t.Errorf("%d dropped, want 4", dropped)
	}
	b.restart()
	if err := r.End(testContext(t), events.Done, ""); err != nil {
		t.Fatal(err)
	}
	all := b.stored(int(11 - dropped))
	last := len(all) - 1
	if end := all[last]; end.Kind != events.RunEnd || end.Seq != 10 || all[last-1].Seq != 9-dropped {
		t.Errorf("ended by a %s with seq %d after seq %d", end.Kind, end.Seq, all[last-1].Seq)
	}
}

// End waits no longer than Linger; what is left arrives later.
func TestEndWhileAway(t *testing.T) {
	b := newBus(t)
	cfg := b.config()
	cfg.Linger = time.Millisecond
	r := b.run(cfg)
	b.stop()
	if err := r.Turn(events.Turn{Text: "so"}); err != nil {
		t.Fatal(err)
	}
	err := r.Blocked(context.Background(), events.Blocker{Attempted: []string{"refund"}, Blocker: "archived", Needs: "an archivist"})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "events are not stored yet") {
		t.Errorf("Blocked: %v", err)
	}
	b.restart()
	if end := b.stored(3)[2].End; end.Status != events.Blocked || end.Blocked.Needs != "an archivist" || end.Reason != "archived" {
		t.Errorf("ended %+v", end)
	}
	if err := r.End(testContext(t), events.Done, ""); err != nil {
		t.Errorf("End once more: %v", err)
	}
	receiveClosed(t, r)
}

// receiveClosed waits until the run has let go of the bus.
func receiveClosed(t *testing.T, r *worker.Run) {
	t.Helper()
	for {
		select {
		case _, open := <-r.Controls():
			if !open {
				return
			}
		case <-time.After(patience):
			t.Fatal("the run does not let go of the bus")
		}
	}
}

// Close lets go at once, also while the bus is away.
func TestCloseWhileAway(t *testing.T) {
	b := newBus(t)
	r := b.run(b.config())
	b.stop()
	if err := r.Turn(events.Turn{}); err != nil {
		t.Fatal(err)
	}
	r.Close()
	receiveClosed(t, r)
	if err := r.Turn(events.Turn{}); !errors.Is(err, worker.ErrOver) {
		t.Errorf("Turn: %v", err)
	}
	if err := r.End(testContext(t), events.Done, ""); !errors.Is(err, worker.ErrOver) {
		t.Errorf("End: %v", err)
	}
	r.Close()
}

// An agent whose connection was closed for good goes on by its guard.
func TestConnectionClosedForGood(t *testing.T) {
	b := newBus(t)
	cfg := b.config()
	cfg.NoGuard, cfg.Guard = false, preset(t, "sundry")
	r := b.run(cfg)
	b.agent.Close()
	executed := 0
	for range 2 {
		if _, err := track(r, &executed); err != nil {
			t.Fatal(err)
		}
	}
	if executed != 1 || len(r.Observations()) != 1 {
		t.Errorf("executed %d times", executed)
	}
	if err := r.End(testContext(t), events.Done, ""); err == nil || !strings.Contains(err.Error(), "not stored") {
		t.Errorf("End: %v", err)
	}
}

// An event that the bus does not acknowledge is sent again as it was, with its
// id and its question, and nothing overtakes it.
func TestRetry(t *testing.T) {
	b := newBus(t)
	r := b.run(b.config())
	s, err := b.js.Stream(testContext(t), events.EventStream(0))
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.CachedInfo().Config
	if err := b.js.DeleteStream(testContext(t), events.EventStream(0)); err != nil {
		t.Fatal(err)
	}
	wait := asking(t, r, "tool", map[string]any{"n": 1})
	first := b.want(events.ToolCall)
	if err := r.Turn(events.Turn{Text: "second"}); err != nil {
		t.Fatal(err)
	}
	again := b.want(events.ToolCall)
	if again.ID != first.ID || again.check != first.check {
		t.Errorf("asked again as %s %v, first as %s %v", again.ID, again.check, first.ID, first.check)
	}
	b.answer(first, allow)
	if _, err := wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.js.CreateStream(testContext(t), cfg); err != nil {
		t.Fatal(err)
	}
	all := b.stored(2)
	if all[0].ID != first.ID || all[1].Kind != events.TurnKind {
		t.Errorf("stored %s %s, then a %s", all[0].Kind, all[0].ID, all[1].Kind)
	}
}

// What the bus refuses for good is dropped and counted; it does not hold up
// what comes behind it.
func TestRefusedForGood(t *testing.T) {
	b := newBus(t)
	s, err := b.js.Stream(testContext(t), events.EventStream(0))
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.CachedInfo().Config
	cfg.MaxMsgSize = 2000
	if _, err := b.js.UpdateStream(testContext(t), cfg); err != nil {
		t.Fatal(err)
	}
	r := b.run(b.config())
	for _, text := range []string{strings.Repeat("long ", 1000), "short"} {
		if err := r.Turn(events.Turn{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if all := b.stored(2); all[1].Turn.Text != "short" || all[1].Seq != 2 || r.Dropped() != 1 {
		t.Errorf("stored %+v; %d dropped", all[1].Event, r.Dropped())
	}
}

// A connection that is not there yet is no reason to wait.
func TestStartBeforeTheServer(t *testing.T) {
	b := newBus(t)
	address := b.srv.URL()
	b.srv.Shutdown()
	nc, err := nats.Connect(address, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(5*time.Millisecond), nats.ReconnectJitter(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	cfg := b.config()
	cfg.Conn, cfg.NoGuard = nc, false
	r, err := worker.Start(testContext(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Call(testContext(t), "tool", nil)
	if err != nil || !c.Guarded {
		t.Fatalf("Call: %+v, %v", c, err)
	}
	b.start()
	if err := r.End(testContext(t), events.Done, ""); err != nil {
		t.Fatal(err)
	}
	b.stored(3)
}
