package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// guarded is a run whose guard goes by the fleet's policy.
func (s *stage) guarded(data string, wait time.Duration) *worker.Run {
	s.t.Helper()
	r, err := worker.Start(s.bounded(), worker.Config{
		Conn: s.nc, Agent: "support", Task: "order-1", Run: "r1", Wait: wait, Trusted: s.trusted(data), Linger: patience,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(r.Close)
	return r
}

// taken gathers every control a run took, until it has let go of the bus.
func taken(t *testing.T, r *worker.Run) []string {
	t.Helper()
	var out []string
	for {
		select {
		case c, open := <-r.Controls():
			if !open {
				return out
			}
			out = append(out, c.ID)
		case <-time.After(patience):
			t.Fatal("the run does not let go of the bus")
		}
	}
}

// While no processor answers, the guard goes by the fleet's policy: it hands
// the first result back, tells, and ends the run. When a processor is back it
// comes to the same decisions under the same ids, and nothing is done twice.
func TestGuardStandsIn(t *testing.T) {
	s := newStage(t, "sundry")
	data, p := s.manned()
	r := s.guarded(data, time.Second)
	p.stop(t)
	executed := 0
	track := func() (worker.Output, error) {
		return r.Do(s.bounded(), "track_parcel", parcel, func(context.Context) (any, error) { executed++; return noScans, nil })
	}
	if out, err := track(); err != nil || out.Label != "" {
		t.Fatalf("first call: %+v, %v", out, err)
	}
	if out, err := track(); err != nil || out.Label == "" || executed != 1 {
		t.Fatalf("second call: %+v, %v, executed %d times", out, err, executed)
	}
	if told := r.Observations(); len(told) != 1 {
		t.Fatalf("told %v", told)
	}
	_, err := track()
	halt := halted(t, "third call", err)
	if *halt.EndStatus != "stuck" || executed != 1 {
		t.Errorf("halted as %s, executed %d times", *halt.EndStatus, executed)
	}
	if err := r.End(s.bounded(), events.Done, ""); err != nil {
		t.Fatal(err)
	}
	done := taken(t, r)
	p = s.start(data, "")
	s.wait(p)
	log := s.acted("r1")
	if want := []actions.Kind{actions.Inject, actions.HaltRun, actions.Escalate}; !slices.Equal(kinds(log), want) {
		t.Fatalf("the processor decides %v, want %v", kinds(log), want)
	}
	if want := []string{log[0].ID, log[1].ID, log[2].ID}; !slices.Equal(done, want) {
		t.Errorf("the guard did %v, the processor decides %v", done, want)
	}
	if d := s.detail("r1"); d.Unacked != 0 || d.Status != "stuck" || !d.Halted {
		t.Errorf("the run stands as %+v", d.Run)
	}
}

// What the guard did while the processor was slow is not done again when its
// own controls arrive at the same, living run.
func TestGuardAndProcessorMeet(t *testing.T) {
	s := newStage(t, "sundry")
	data, p := s.manned()
	r := s.guarded(data, time.Second)
	p.stop(t)
	track := func(call string) (worker.Output, error) {
		return r.Do(s.bounded(), "track_parcel", call, func(context.Context) (any, error) { return noScans, nil })
	}
	for range 2 {
		if _, err := track(parcel); err != nil {
			t.Fatal(err)
		}
	}
	first := r.Observations()
	p = s.start(data, "")
	s.wait(p)
	if _, err := track(`{"tracking_number":"another"}`); err != nil { // answered behind everything that was decided
		t.Fatal(err)
	}
	if again := r.Observations(); len(first) != 1 || again != nil {
		t.Errorf("told %v, and when the processor was back %v", first, again)
	}
	_, err := track(parcel)
	halted(t, "third call", err)
	if got := kinds(s.acted("r1")); !slices.Equal(got, []actions.Kind{actions.Inject, actions.HaltRun, actions.Escalate}) {
		t.Errorf("controls %v", got)
	}
	s.settled("r1")
}

// While the server is away the agent goes on; what it said arrives when the
// server is back, in order and none twice, and is judged then.
func TestServerAway(t *testing.T) {
	s, restart := newFragileStage(t, "default")
	data, p := s.manned()
	r := s.guarded(data, patience)
	away := restart()
	const calls = 30
	for i := range calls {
		out, err := r.Do(s.bounded(), "read", map[string]int{"page": i}, func(context.Context) (any, error) { return fmt.Sprint("page ", i), nil })
		if err != nil || out.Label != "" {
			t.Fatalf("call %d while the server is away: %+v, %v", i, out, err)
		}
	}
	away()
	if err := r.End(s.bounded(), events.Done, ""); err != nil {
		t.Fatal(err)
	}
	s.wait(p)
	d := s.detail("r1")
	if d.Calls != calls || d.Gaps != 0 || d.Phase != "ended" || d.Status != "done" || d.Controls != 0 {
		t.Errorf("the run stands as %+v", d.Run)
	}
	s.inOrder(events.Partition("default", "order-1", partitions), 2*calls+2)
}

// inOrder fails unless a partition holds n events of one run, each once and in
// the order of their seqs.
func (s *stage) inOrder(partition, n int) {
	s.t.Helper()
	at, err := s.bus.EventState(s.bounded(), partition)
	if err != nil {
		s.t.Fatal(err)
	}
	next, ids := uint64(0), map[string]bool{}
	for seq := uint64(1); seq <= at.Last; seq++ {
		m, err := s.bus.Event(s.bounded(), partition, seq)
		if errors.Is(err, natsbus.ErrNotFound) {
			continue
		}
		if err != nil {
			s.t.Fatal(err)
		}
		e, err := events.Decode(m.Data, events.DefaultLimit)
		if err != nil {
			s.t.Fatal(err)
		}
		if e.Kind.Ours() {
			continue
		}
		if e.Seq != next || ids[e.ID] {
			s.t.Errorf("a %s with seq %d where %d is expected", e.Kind, e.Seq, next)
		}
		next, ids[e.ID] = next+1, true
	}
	if len(ids) != n {
		s.t.Errorf("%d events are stored, want %d", len(ids), n)
	}
}

// newFragileStage is a stage whose server goes away when the returned function
// is called, and comes back when the function that this returns is.
func newFragileStage(t *testing.T, policy string) (s *stage, away func() (back func())) {
	t.Helper()
	s = newStage(t, policy)
	return s, func() func() {
		t.Helper()
		lost := s.nc.StatusChanged(nats.RECONNECTING)
		defer s.nc.RemoveStatusListener(lost)
		s.srv.Shutdown()
		for s.nc.IsConnected() {
			receive(t, "the loss of the connection", lost)
		}
		return func() {
			t.Helper()
			s.serve()
			if err := natsbus.Await(s.bounded(), s.nc); err != nil {
				t.Fatal(err)
			}
		}
	}
}
