package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// An agent that crashes and comes back goes on with its run: nothing it did is
// forgotten, what it was not told yet it is told, and no number is used twice.
func TestReattachAfterACrash(t *testing.T) {
	s := newStage(t, "sundry")
	data, p := s.manned()
	cfg := worker.Config{Agent: "support", Task: "order-1", Run: "r1"}
	executed := 0
	track := func(r *worker.Run) (worker.Output, error) {
		return r.Do(s.bounded(), "track_parcel", parcel, func(context.Context) (any, error) { executed++; return noScans, nil })
	}
	r := s.worker(data, cfg)
	for range 2 {
		if _, err := track(r); err != nil {
			t.Fatal(err)
		}
	}
	s.until("everything is stored", func() bool { return s.events("order-1") == 5 })
	r.Close() // the observation is not handed out, and nothing says that the run has ended
	s.wait(p)

	cfg.Round = 2
	r = s.worker(data, cfg)
	if got := s.told(r); !strings.HasPrefix(got, inWords+" "+howOften) {
		t.Errorf("told %q", got)
	}
	_, err := track(r)
	if h := halted(t, "third call", err); *h.EndStatus != "stuck" || executed != 1 {
		t.Errorf("halted as %s, executed %d times", *h.EndStatus, executed)
	}
	d := s.settled("r1")
	if d.Gaps != 0 || d.Calls != 3 || d.Turns != 3 || d.Status != "stuck" {
		t.Errorf("the run stands as %+v", d.Run)
	}
	log := s.acted("r1")
	if want := []actions.Kind{actions.Inject, actions.HaltRun, actions.Escalate}; !slices.Equal(kinds(log), want) {
		t.Fatalf("controls %v, want %v", kinds(log), want)
	}
	if !strings.Contains(log[2].Summary, "\nSince round 1: 2 turns without result") {
		t.Errorf("the escalation says\n%s", log[2].Summary)
	}
}

// events counts what workers have stored on a task's partition.
func (s *stage) events(task string) (n int) {
	s.t.Helper()
	p := events.Partition("default", task, partitions)
	at, err := s.bus.EventState(s.bounded(), p)
	if err != nil {
		s.t.Fatal(err)
	}
	for seq := at.First; seq <= at.Last; seq++ {
		m, err := s.bus.Event(s.bounded(), p, seq)
		if err != nil {
			s.t.Fatal(err)
		}
		if e, err := events.Decode(m.Data, events.DefaultLimit); err == nil && !e.Kind.Ours() {
			n++
		}
	}
	return n
}
