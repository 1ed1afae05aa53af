package engine

import (
	"slices"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// cascade carries a halt to the rest of the task: the descendants stop, a
// parent is told, and the task of a halted root is closed to new runs.
// Siblings live.
func (g *Engine) cascade(d actions.Decision, r *state.Run, out *Result) {
	t := g.part.Task(r.ID.TaskID())
	if r.Root() {
		t.Tomb = r.Ledger.Halt
		t.Tomb.FromRun = r.ID.Run
		g.part.TouchTask(t)
	}
	for _, m := range t.Descendants(r.ID.Run) {
		child := g.part.Run(state.RunID{Tenant: r.ID.Tenant, Task: r.ID.Task, Run: m.Run})
		if child == nil || child.Ledger.Halt.Active() {
			continue
		}
		g.stop(d, child, r.Ledger.Halt, out)
	}
	if r.Root() {
		return
	}
	parent := g.part.Run(state.RunID{Tenant: r.ID.Tenant, Task: r.ID.Task, Run: r.Parent})
	if parent == nil || parent.Phase != state.Live || parent.Ledger.Halt.Active() {
		return
	}
	told := actions.ControlID(parent.ID, actions.Inject, d.Detector, d.Incident, d.Rung) // of another child, by the same act
	if !slices.ContainsFunc(out.Decisions, func(x actions.Decision) bool { return x.ID == told }) {
		g.control(d, parent, actions.Inject, out)
	}
}

// stop halts another run for the same cause. Which of its turns come past the
// halt is told by its own rounds.
func (g *Engine) stop(d actions.Decision, r *state.Run, h state.Halt, out *Result) {
	d.Status = h.EndStatus
	c := g.control(d, r, actions.HaltRun, out)
	h.Control, h.FromRun = c.ID, d.Target.Run
	h.Round = r.Window.Round.Number
	r.Ledger.Halt = h
}

// control adds an acted decision for another run of the task than the one
// whose event caused it.
func (g *Engine) control(d actions.Decision, r *state.Run, k actions.Kind, out *Result) actions.Decision {
	d.Facts.From = d.Target.Run
	d.Target, d.Agent, d.Kind, d.Reason = r.ID, r.Agent, k, actions.Acted
	if k != actions.HaltRun {
		d.Status = ""
	}
	d.ID = actions.ControlID(r.ID, k, d.Detector, d.Incident, d.Rung)
	r.Ledger.Controls++
	d.N = r.Ledger.Controls
	actions.Await(&r.Ledger, d.ID, k, d.TimeMS+g.policy.Control.Milliseconds())
	g.part.Touch(r)
	g.schedule(r)
	out.Decisions = append(out.Decisions, d)
	return d
}

// greet tells a new or reopened run of a halt that covers it: a retry must not
// start the loop again with a fresh budget.
func (g *Engine) greet(e *events.Event, r *state.Run, out *Result) {
	if r.Ledger.Halt.Active() {
		return
	}
	h, ok := g.covering(r)
	if !ok {
		return
	}
	d := actions.Decision{
		Target: state.RunID{Run: h.FromRun}, Detector: h.Detector, Incident: h.Incident, Rung: h.Rung,
		CauseID: e.ID, Cause: r.Cur.Ref, Seq: e.Seq, Round: e.Round, TimeMS: r.StoredMS, Log: true,
	}
	d.Facts.By, d.Note = h.By, h.Reason
	g.stop(d, r, h, out)
}

// covering returns the halt of the task, of a scope or of a run above that
// covers the run. An act that resumed the run by its name, or its task's,
// outweighs all that stood at the time.
func (g *Engine) covering(r *state.Run) (state.Halt, bool) {
	holds := func(h state.Halt) bool { return h.Active() && h.Cause.Seq > r.Ledger.Lifted }
	if t := g.part.Task(r.ID.TaskID()); holds(t.Tomb) {
		return t.Tomb, true
	}
	for _, s := range g.part.Meta.Halts {
		if s.Matches(r.ID, r.Agent, g.part.Meta.ClockMS) && holds(s.Halt) {
			return s.Halt, true
		}
	}
	return g.ancestor(r, holds)
}

// maxDepth bounds how far up a run's ancestors are looked for: workers may name
// parents in a ring.
const maxDepth = 64

// ancestor returns the halt that holds of the nearest halted run above r.
func (g *Engine) ancestor(r *state.Run, holds func(state.Halt) bool) (state.Halt, bool) {
	up := r.Parent
	for range maxDepth {
		if up == "" {
			break
		}
		p := g.part.Run(state.RunID{Tenant: r.ID.Tenant, Task: r.ID.Task, Run: up})
		if p == nil {
			break
		}
		if holds(p.Ledger.Halt) {
			return p.Ledger.Halt, true
		}
		up = p.Parent
	}
	return state.Halt{}, false
}

// pastHalt raises that a worker acted past its halt, once. A tool call is a
// question, not an act.
func (g *Engine) pastHalt(e *events.Event, r *state.Run, out *Result) {
	h := r.Ledger.Halt
	acted := e.Kind == events.TurnKind && e.Round > h.Round ||
		e.Kind == events.ToolResult && !e.Result.Replayed && r.Cur.Answered && r.Cur.CallSeq > h.Cause.Seq
	if !acted || r.Ledger.ActedPast || e.Origin == events.FromLoopwatch {
		return
	}
	r.Ledger.ActedPast = true
	d := actions.Decision{
		Target: r.ID, Agent: r.Agent, Kind: actions.Escalate, Detector: "halt_ignored", Reason: actions.Acted,
		Incident: h.Incident, Rung: h.Rung + 1, CauseID: e.ID, Cause: r.Cur.Ref, Seq: e.Seq, Round: e.Round,
		TimeMS: r.StoredMS, Log: true, Facts: actions.FactsOf(r, h.Round),
	}
	d.Evidence.Events = []state.Ref{h.Cause, r.Cur.Ref}
	d.Evidence.What = "went on after it was halted"
	d.ID = actions.ControlID(r.ID, actions.Escalate, d.Detector, d.Incident, d.Rung)
	r.Ledger.Controls++
	d.N = r.Ledger.Controls
	out.Decisions = append(out.Decisions, d)
}

// answer says what a check of this event is told.
func (g *Engine) answer(e *events.Event, r *state.Run) Answer {
	a := Answer{Decision: actions.Allow, Unacked: r.Ledger.Unacked, LastSeq: r.Seq.High}
	switch {
	case r.Ledger.Halt.Active():
		a.Decision = actions.RefuseCall
	case e.Kind == events.ToolCall && !r.Cur.Replay.IsZero():
		a.Decision, a.Replay, a.ReplayOf = actions.ReplayCall, r.Cur.Replay, r.Cur.ReplayOf
	}
	return a
}
