package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// stand is a processor over a bus of its own, which the test speaks to.
type stand struct {
	t  *testing.T
	nc *nats.Conn
	js jetstream.JetStream
	nb *natsbus.Bus
}

func newStand(t *testing.T) *stand {
	t.Helper()
	policy, err := actions.Preset("sundry")
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.Start(t.Context(), app.Options{Embedded: true, Volatile: true, Data: t.TempDir(), Policy: policy, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	s := &stand{t: t}
	if s.nc, err = nats.Connect(a.URL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.nc.Close()
		stop()
		if err := errors.Join(<-done, a.Close()); err != nil {
			t.Error(err)
		}
	})
	if s.js, err = jetstream.New(s.nc); err != nil {
		t.Fatal(err)
	}
	if s.nb, err = natsbus.New(s.nc, 16); err != nil {
		t.Fatal(err)
	}
	s.await("a policy on every partition", func(ctx context.Context) bool {
		for p := range 16 {
			if at, err := s.nb.EventState(ctx, p); err != nil || at.Last == 0 {
				return false
			}
		}
		return true
	})
	return s
}

func (s *stand) publish(subject, id string, body []byte) {
	s.t.Helper()
	if _, err := s.js.Publish(s.t.Context(), subject, body, jetstream.WithMsgID(id)); err != nil {
		s.t.Fatal(err)
	}
}

// loop publishes a run that asks the same three times, and says how many events
// that were.
func (s *stand) loop(run string) int {
	s.t.Helper()
	n := 0
	say := func(e events.Event) {
		n++
		e.V, e.ID, e.Seq, e.Time = 1, fmt.Sprintf("%s-%d-of-a-run-that-loops", run, n), uint64(n), time.Now()
		e.Tenant, e.Agent, e.Task, e.Run = "default", "support", "t-"+run, run
		body, err := events.Encode(e)
		if err != nil {
			s.t.Fatal(err)
		}
		s.publish(events.EventSubject("default", "support", e.Task, run), e.ID, body)
	}
	say(events.Event{Kind: events.RunStart, Start: &events.Start{}})
	for r := 1; r <= 3; r++ {
		say(events.Event{Kind: events.ToolCall, Round: r, Call: &events.Call{ID: "c", Tool: "track", Args: events.RawJSON(`{"n":1}`)}})
		say(events.Event{Kind: events.ToolResult, Round: r, Result: &events.Result{CallID: "c", Content: events.RawJSON(`"no scans"`)}})
	}
	return n
}

// applied waits until the processor knows so many halted runs.
func (s *stand) applied(runs int) {
	s.t.Helper()
	c := fleet.Client{Conn: s.nc, Partitions: 16, Stall: 20 * time.Millisecond}
	s.await(fmt.Sprintf("%d halted runs", runs), func(ctx context.Context) bool {
		found, _, err := c.Runs(ctx, events.Scope{}, "halted", 100)
		return err == nil && len(found) == runs
	})
}

// await asks until something is so.
func (s *stand) await(what string, so func(context.Context) bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	for !so(ctx) {
		select {
		case <-ctx.Done():
			s.t.Fatalf("%s: not in a minute", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Every decision is told behind its cause and before the run's next event;
// what was refused, and records that are not ours, are not told.
func TestRetell(t *testing.T) {
	s := newStand(t)
	const runs = 20
	want := 0
	for i := range runs {
		want += s.loop(fmt.Sprintf("r%d", i))
	}
	p := events.Partition("default", "t-r0", 16)
	s.publish(events.EventSubject("default", "support", "t-r0", "r0"), "refused", []byte(`{"v":1,"id":"refused","kind":"gossip"}`))
	s.publish(events.ControlLogSubject(p, "default", "support", "r0"), "foreign", []byte(`{"tenant":"default","agent":"support","run":"r9","detector":"repeat"}`))
	s.publish(events.ControlLogSubject(p, "default", "support", "r0"), "garbage", []byte(`{`))
	s.applied(runs)

	told := map[string]int{}
	newest := map[string]string{} // event of each run
	for p := range 16 {
		whole, err := fleet.Retell(t.Context(), s.nb, p, fleet.Listener{
			Event: func(e *events.Event) error {
				if !e.Kind.Ours() {
					told["events"]++
					newest[e.Run] = e.ID
				}
				return nil
			},
			Decision: func(m *actions.Message) error {
				told[string(m.Kind)]++
				if newest[m.Run] != m.Event {
					t.Errorf("a decision on %s is told when %s is the newest event of its run", m.Event, newest[m.Run])
				}
				return nil
			},
		})
		if err != nil || !whole {
			t.Fatalf("partition %d: whole %v, %v", p, whole, err)
		}
	}
	told[""] = 0 // withheld ones
	for kind, n := range map[string]int{"events": want, "inject_observation": runs, "halt": runs} {
		if told[kind] != n {
			t.Errorf("%d of %s, want %d", told[kind], kind, n)
		}
	}
}

// An error of the listener ends the reading, and nothing is left running.
func TestRetellStops(t *testing.T) {
	s := newStand(t)
	s.loop("r0")
	s.applied(1)
	enough := errors.New("enough")
	var kinds []string
	_, err := fleet.Retell(t.Context(), s.nb, events.Partition("default", "t-r0", 16), fleet.Listener{
		Event:    func(e *events.Event) error { kinds = append(kinds, string(e.Kind)); return nil },
		Decision: func(*actions.Message) error { return enough },
	})
	if !errors.Is(err, enough) {
		t.Errorf("error %v, want the listener's", err)
	}
	worker := kinds[:0]
	for _, k := range kinds {
		if !events.Kind(k).Ours() {
			worker = append(worker, k)
		}
	}
	if diff := cmp.Diff([]string{"run_start", "tool_call", "tool_result", "tool_call"}, worker); diff != "" {
		t.Errorf("events up to the first decision (-want +got):\n%s", diff)
	}
}
