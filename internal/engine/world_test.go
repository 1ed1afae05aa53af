package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// world is one partition under a policy, with a clock that the test moves.
type world struct {
	t     *testing.T
	part  *state.Partition
	store state.Store
	eng   *engine.Engine
	now   time.Time
	n     uint64
	seqs  map[string]uint64
}

func newWorld(t *testing.T, policy string) *world {
	t.Helper()
	w := &world{t: t, store: state.NewMemory(), now: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), seqs: map[string]uint64{}}
	w.reopen(policy)
	return w
}

// reopen begins again from the store, as after a restart.
func (w *world) reopen(policy string) {
	w.t.Helper()
	p, err := actions.Preset(policy)
	if err != nil {
		w.t.Fatal(err)
	}
	if w.part, err = state.OpenPartition(w.store, 0); err != nil {
		w.t.Fatal(err)
	}
	if w.eng, err = engine.New(w.part, p, false, features.Key{7}); err != nil {
		w.t.Fatal(err)
	}
}

// commit writes what changed.
func (w *world) commit() {
	w.t.Helper()
	var b state.Batch
	if err := w.part.Flush(&b); err != nil {
		w.t.Fatal(err)
	}
	if err := w.store.Commit(&b); err != nil {
		w.t.Fatal(err)
	}
	w.part.Committed()
}

// step applies one event of a run of task t1, a second after the one before.
func (w *world) step(run string, e events.Event) engine.Result {
	w.t.Helper()
	w.seqs[run]++
	e.Run, e.Seq = run, w.seqs[run]
	if e.Task == "" {
		e.Task = "t1"
	}
	e.Tenant, e.Agent = "default", "support"
	return w.raw(e)
}

func (w *world) raw(e events.Event) engine.Result {
	w.t.Helper()
	w.n++
	w.now = w.now.Add(time.Second)
	e.V, e.StreamSeq, e.Time, e.Stored = 1, w.n, w.now, w.now
	if e.ID == "" {
		e.ID = fmt.Sprintf("e%d", w.n)
	}
	r, err := w.eng.Step(&e)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// tick lets time pass.
func (w *world) tick(d time.Duration) engine.Result {
	w.t.Helper()
	w.now = w.now.Add(d)
	return w.raw(events.Event{Kind: events.Tick})
}

// call and result are one round of a run.
func (w *world) call(run string, round int, args string) engine.Result {
	w.t.Helper()
	return w.step(run, events.Event{Kind: events.ToolCall, Round: round, Call: &events.Call{
		ID: fmt.Sprintf("c%d", round), Tool: "track_parcel", Args: events.RawJSON(args),
	}})
}

func (w *world) result(run string, round int, content string) engine.Result {
	w.t.Helper()
	return w.step(run, events.Event{Kind: events.ToolResult, Round: round, Result: &events.Result{
		CallID: fmt.Sprintf("c%d", round), Tool: "track_parcel", Content: events.RawJSON(content),
	}})
}

func (w *world) start(run, parent string) engine.Result {
	w.t.Helper()
	return w.step(run, events.Event{Kind: events.RunStart, Parent: parent, Start: &events.Start{}})
}

// loop makes a run repeat itself until the preset sundry halts it.
func (w *world) loop(run string) engine.Result {
	w.t.Helper()
	w.call(run, 1, `{"n":1}`)
	w.result(run, 1, `"no scans"`)
	w.call(run, 2, `{"n":1}`)
	return w.call(run, 3, `{"n":1}`)
}

func (w *world) operate(o events.Operator) engine.Result {
	w.t.Helper()
	return w.raw(events.Event{Kind: events.OperatorAct, Operator: &o})
}

// run returns the state of a run of task t1.
func (w *world) run(name string) *state.Run {
	w.t.Helper()
	r := w.part.Run(state.RunID{Tenant: "default", Task: "t1", Run: name})
	if r == nil {
		w.t.Fatalf("run %s is not known", name)
	}
	return r
}

// acted lists what was done as run:kind:detector.
func acted(r engine.Result) []string {
	out := []string{}
	for _, d := range r.Decisions {
		if d.Reason == actions.Acted {
			out = append(out, d.Target.Run+":"+string(d.Kind)+":"+d.Detector)
		}
	}
	return out
}
