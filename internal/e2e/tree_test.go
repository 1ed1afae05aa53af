package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// loop repeats a call until the run is halted, and returns the halt.
func (s *stage) loop(r *worker.Run) actions.Control {
	s.t.Helper()
	for range 10 {
		_, err := r.Do(s.bounded(), "search", `{"q":"bench"}`, func(context.Context) (any, error) { return "nothing", nil })
		if err != nil {
			return halted(s.t, "loop of "+r.ID(), err)
		}
	}
	s.t.Fatalf("%s repeats itself and is not halted", r.ID())
	panic("unreachable")
}

// alive fails unless the run may call a tool it has not called before.
func (s *stage) alive(r *worker.Run) {
	s.t.Helper()
	n := s.detail(r.ID()).Calls
	out, err := r.Do(s.bounded(), "read", fmt.Sprintf(`{"page":%d}`, n), func(context.Context) (any, error) { return fmt.Sprint("page ", n), nil })
	if err != nil || out.Label != "" {
		s.t.Errorf("%s: %+v, %v; want that it lives", r.ID(), out, err)
	}
}

// told waits for the next observation of a run.
func (s *stage) told(r *worker.Run) string {
	s.t.Helper()
	var out []actions.Observation
	s.until(r.ID()+" is told something", func() bool { out = r.Observations(); return len(out) > 0 })
	if len(out) != 1 {
		s.t.Errorf("%s was told %d things", r.ID(), len(out))
	}
	return out[0].Content
}

// family is a task with a root, two children and a grandchild.
type family struct{ root, child, sibling, grandchild *worker.Run }

func (s *stage) family(data, task string) family {
	s.t.Helper()
	start := func(run, parent string) *worker.Run {
		return s.worker(data, worker.Config{Agent: "support", Task: task, Run: run, Parent: parent})
	}
	return family{start("root", ""), start("child", "root"), start("sibling", "root"), start("grandchild", "child")}
}

// A halted child stops itself and its descendants; its siblings and its parent
// live, and the parent is told.
func TestHaltedChild(t *testing.T) {
	s := newStage(t, "sundry")
	data, _ := s.manned()
	f := s.family(data, "order-1")
	halt := s.loop(f.child)
	receive(t, "the grandchild's halt", f.grandchild.Done())
	below := f.grandchild.Halted().Control
	if below.Incident != halt.Incident || *below.EndStatus != "stuck" || !strings.HasPrefix(below.Summary, "Run child was halted, and this one with it") {
		t.Errorf("the grandchild was halted for %s as %s: %s", below.Incident, *below.EndStatus, below.Summary)
	}
	if got := s.told(f.root); !strings.HasPrefix(got, "Run child, which works for this one, was halted: it has been called") && !strings.HasPrefix(got, "Run child, which works for this one, was halted: search has been called") || !strings.Contains(got, "going on without its result") {
		t.Errorf("the parent is told %q", got)
	}
	s.alive(f.root)
	s.alive(f.sibling)
	for run, want := range map[string][]actions.Kind{
		"root": {actions.Inject}, "child": {actions.Inject, actions.HaltRun, actions.Escalate},
		"grandchild": {actions.HaltRun}, "sibling": nil,
	} {
		d := s.settled(run)
		if got := kinds(s.acted(run)); !slices.Equal(got, want) {
			t.Errorf("%s got %v, want %v", run, got, want)
		}
		if stopped := run == "child" || run == "grandchild"; d.Halted != stopped || stopped != (d.Status == "stuck") {
			t.Errorf("%s stands as %+v", run, d.Run)
		}
	}
	_, err := s.attempt(data, worker.Config{Agent: "support", Task: "order-1", Run: "grandchild-2", Parent: "child"})
	halted(t, "another child of the halted one", err)
	s.worker(data, worker.Config{Agent: "support", Task: "order-1", Run: "sibling-2", Parent: "root"})
}

// A halted root stops the whole task, the next attempt at hello among it, until
// an operator resumes it.
func TestHaltedRootStopsTheNextAttempt(t *testing.T) {
	s := newStage(t, "sundry")
	data, _ := s.manned()
	f := s.family(data, "order-2")
	halt := s.loop(f.root)
	for _, r := range []*worker.Run{f.child, f.sibling, f.grandchild} {
		receive(t, r.ID()+"'s halt", r.Done())
	}
	retry := worker.Config{Agent: "support", Task: "order-2", Run: "retry", Start: events.Start{Attempt: 2}}
	_, err := s.attempt(data, retry)
	if h := halted(t, "the next attempt", err); h.Incident != halt.Incident || *h.EndStatus != "stuck" || h.Summary != "Run root of this task was halted by repeat; resume it first" {
		t.Errorf("the next attempt was halted for %s as %s: %s", h.Incident, *h.EndStatus, h.Summary)
	}
	if d := s.settled("retry"); d.Calls != 0 || d.Status != "stuck" || !d.Halted {
		t.Errorf("the next attempt stands as %+v", d.Run)
	}
	s.worker(data, worker.Config{Agent: "support", Task: "order-3", Run: "other-task"})
	s.act(events.Operator{Action: "resume", Scope: events.Scope{Task: "order-2"}, Note: "use order 4471", By: "lee"})
	again := s.worker(data, worker.Config{Agent: "support", Task: "order-2", Run: "retry-2", Start: events.Start{Attempt: 3}})
	s.alive(again)
	s.alive(s.worker(data, retry))
}

// act carries out an operator's act.
func (s *stage) act(o events.Operator) {
	s.t.Helper()
	if _, err := s.fleet().Act(s.bounded(), o); err != nil {
		s.t.Fatal(err)
	}
}
