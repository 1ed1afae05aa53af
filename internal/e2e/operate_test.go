package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// An operator's halt reaches the worker at once and is sticky: no new attempt,
// no restarted processor and no waiting lifts it. Resuming is the only way
// back; it gives a fresh window and hands the note to the agent.
func TestHaltAndResume(t *testing.T) {
	s := newStage(t, "sundry")
	data, p := s.manned()
	cfg := worker.Config{Agent: "support", Task: "order-1", Run: "r1"}
	r := s.worker(data, cfg)
	track := func(r *worker.Run) (worker.Output, error) {
		return r.Do(s.bounded(), "track_parcel", parcel, func(context.Context) (any, error) { return noScans, nil })
	}
	if _, err := track(r); err != nil {
		t.Fatal(err)
	}
	other := s.worker(data, worker.Config{Agent: "support", Task: "order-1", Run: "r2"})

	asked := time.Now()
	s.act(events.Operator{Action: "halt", Scope: events.Scope{Task: "order-1", Run: "r1"}, Reason: "wrong customer", By: "lee"})
	receive(t, "the halt", r.Done())
	t.Logf("the halt reached the worker after %v", time.Since(asked))
	halt := r.Halted().Control
	if halt.Detector != "operator" || *halt.EndStatus != "halted" || halt.Summary != "This run was halted by an operator, «lee»: «wrong customer»" {
		t.Errorf("halted by %s as %s: %s", halt.Detector, *halt.EndStatus, halt.Summary)
	}
	if d := s.settled("r1"); d.Status != "halted" || d.Halt == nil || d.Halt.By != "lee" || d.Halt.Reason != "wrong customer" {
		t.Errorf("the run stands as %+v, %+v", d.Run, d.Halt)
	}

	_, err := s.attempt(data, cfg)
	halted(t, "the run once more", err)
	_, err = s.attempt(data, worker.Config{Agent: "support", Task: "order-1", Run: "r3"})
	halted(t, "another attempt at the task", err)
	s.wait(p)
	p.stop(t)
	p = s.start(data, "")
	s.wait(p)
	_, err = s.attempt(data, cfg)
	halted(t, "the run after a restart of the processor", err)

	s.act(events.Operator{Action: "resume", Scope: events.Scope{Task: "order-1", Run: "r1"}, Note: "it is order 4471", By: "lee"})
	r = s.worker(data, cfg)
	if got := s.told(r); !strings.HasPrefix(got, "This run was resumed by an operator, «lee»: «it is order 4471».") {
		t.Errorf("told %q", got)
	}
	for i, replayed := range []bool{false, true} { // the call before the halt is forgotten
		if out, err := track(r); err != nil || (out.Label != "") != replayed {
			t.Errorf("call %d after the resume: %+v, %v", i+1, out, err)
		}
	}
	if got := s.told(r); !strings.HasPrefix(got, inWords+" "+howOften) {
		t.Errorf("told %q", got)
	}
	s.alive(other)
	if d := s.settled("r1"); d.Halted || d.Phase != "live" {
		t.Errorf("the run stands as %+v", d.Run)
	}
}

// A halt by scope covers the runs that live and those to come, and nothing
// else; its resume lifts it, and only it.
func TestHaltByScope(t *testing.T) {
	s := newStage(t, "default")
	data, _ := s.manned()
	start := func(agent, run string) (*worker.Run, error) {
		return s.attempt(data, worker.Config{Agent: agent, Task: "task-" + run, Run: run})
	}
	var support, coder []*worker.Run
	for _, n := range []string{"1", "2", "3", "4", "5"} { // over several partitions
		a, err := start("support", "s"+n)
		if err != nil {
			t.Fatal(err)
		}
		b, err := start("coder", "c"+n)
		if err != nil {
			t.Fatal(err)
		}
		support, coder = append(support, a), append(coder, b)
	}
	s.act(events.Operator{Action: "halt", Scope: events.Scope{Agent: "support"}, Reason: "release", By: "lee"})
	for _, r := range support {
		receive(t, r.ID()+"'s halt", r.Done())
	}
	for _, r := range coder {
		s.alive(r)
	}
	_, err := start("support", "s6")
	halted(t, "a run to come", err)
	s.act(events.Operator{Action: "halt", Scope: events.Scope{Task: "task-c1", Run: "c1"}})
	receive(t, "c1's halt", coder[0].Done())
	s.act(events.Operator{Action: "resume", Scope: events.Scope{Agent: "support"}})
	for _, run := range []string{"s1", "s6", "s7"} {
		r, err := start("support", run)
		if err != nil {
			t.Fatalf("%s after the resume: %v", run, err)
		}
		s.alive(r)
	}
	_, err = start("coder", "c1")
	halted(t, "a run that was halted by name", err)
}

// A budget that is spent halts; resuming with more of it lets the run go on
// that far.
func TestResumeWithBudget(t *testing.T) {
	s := newStage(t, "default")
	data, _ := s.manned()
	cfg := worker.Config{Task: "order-1", Run: "r1", Start: events.Start{Limits: events.Limits{MaxTurns: 3}}}
	spend := func(r *worker.Run) (turns int, halt actions.Control) {
		t.Helper()
		for turns = 1; turns < 20; turns++ {
			if err := r.Turn(events.Turn{Text: "something new"}); err != nil {
				return turns - 1, halted(t, "turn", err)
			}
			_, err := r.Do(s.bounded(), "read", map[string]int{"turn": s.detail("r1").Turns}, func(context.Context) (any, error) { return turns * 7919, nil })
			if err != nil {
				return turns, halted(t, "call", err)
			}
		}
		t.Fatal("the budget has no end")
		panic("unreachable")
	}
	turns, halt := spend(s.worker(data, cfg))
	if halt.Detector != "budget" || *halt.EndStatus != "halted" || turns < 3 || turns > 4 {
		t.Errorf("halted by %s as %s in turn %d", halt.Detector, *halt.EndStatus, turns)
	}
	s.settled("r1")
	s.act(events.Operator{Action: "resume", Scope: events.Scope{Task: "order-1", Run: "r1"}, Add: events.Limits{MaxTurns: 5}})
	more, halt := spend(s.worker(data, cfg))
	if halt.Detector != "budget" || turns+more < 8 || turns+more > 9 {
		t.Errorf("halted by %s in turn %d, want 3 and 5 more", halt.Detector, turns+more)
	}
	if got := kinds(s.acted("r1")); slices.Index(got, actions.HaltRun) < 0 {
		t.Errorf("controls %v", got)
	}
}
