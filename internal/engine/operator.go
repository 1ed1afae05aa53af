package engine

import (
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// operatorDetector is the detector that operators' acts are filed under.
const operatorDetector = "operator"

// operate carries out an operator's act on the runs of this partition that its
// scope covers.
func (g *Engine) operate(e *events.Event, out *Result) *events.Reject {
	o := e.Operator
	ref := state.Ref{Seq: e.StreamSeq, ID: state.DigestOf(e.ID)}
	act := operation{
		Engine: g, event: e, out: out,
		halt: state.Halt{
			Incident: actions.IncidentID(state.RunID{}, operatorDetector, ref), Detector: operatorDetector,
			Rung: 1, EndStatus: string(events.Halted), Reason: o.Reason, By: o.By, Cause: ref,
		},
	}
	if o.For != "" {
		for_, err := time.ParseDuration(o.For)
		if err != nil || for_ <= 0 {
			return &events.Reject{Reason: events.ReasonBadValue, Detail: "operator.for: not a positive duration: " + o.For}
		}
		act.halt.UntilMS = e.Stored.UnixMilli() + for_.Milliseconds()
	}
	switch o.Action {
	case "halt":
		act.stopAll()
	case "resume":
		act.liftAll()
	default:
		return &events.Reject{Reason: events.ReasonBadValue, Detail: "operator.action: neither halt nor resume"}
	}
	return nil
}

// operation is one operator's act under way.
type operation struct {
	*Engine
	event *events.Event
	out   *Result
	halt  state.Halt
}

// decision is the act as a decision about a run.
func (o *operation) decision(r *state.Run) actions.Decision {
	d := actions.Decision{
		Target: r.ID, Agent: r.Agent, Detector: operatorDetector, Reason: actions.Acted,
		Incident: o.halt.Incident, Rung: 1, CauseID: o.event.ID, Cause: o.halt.Cause,
		TimeMS: o.event.Stored.UnixMilli(), Log: true, Facts: actions.FactsOf(r, 0), Note: o.halt.Reason,
	}
	d.Facts.By = o.halt.By
	d.Evidence.Events = []state.Ref{o.halt.Cause}
	d.Evidence.What = "was halted by an operator"
	return d
}

// stopAll halts every run the scope covers and, unless it names one run,
// remembers the scope for runs to come.
func (o *operation) stopAll() {
	s := o.event.Operator.Scope
	o.halt.Control = "ctl_" + o.halt.Incident
	if s.Run == "" {
		o.part.Meta.Halts = append(o.part.Meta.Halts, state.ScopeHalt{Tenant: s.Tenant, Agent: s.Agent, Task: s.Task, Halt: o.halt})
	}
	o.each(func(r *state.Run) {
		if r.Phase == state.Live && !r.Ledger.Halt.Active() {
			d := o.decision(r)
			o.stop(d, r, o.halt, o.out)
			o.cascade(d, r, o.out)
		}
		if s.Run != "" && r.Escalated() {
			o.leave(r)
		}
	})
}

// leave notes that a person wants a run that is halted for a finding to stay so:
// its escalation is answered. There is nothing to tell its worker.
func (o *operation) leave(r *state.Run) {
	r.Ledger.Halt.By, r.Ledger.Halt.Reason = o.halt.By, o.halt.Reason
	if r.Ledger.Halt.By == "" {
		r.Ledger.Halt.By = operatorDetector
	}
	o.part.Touch(r)
}

// liftAll lifts exactly what the scope names. A resumed run starts with a
// fresh window, and the note becomes its observation.
func (o *operation) liftAll() {
	s := o.event.Operator.Scope
	lifted := map[string]bool{}
	if s.Run == "" {
		kept := o.part.Meta.Halts[:0]
		for _, h := range o.part.Meta.Halts {
			if h.Tenant == s.Tenant && h.Agent == s.Agent && h.Task == s.Task {
				lifted[h.Halt.Incident] = true
			} else {
				kept = append(kept, h)
			}
		}
		o.part.Meta.Halts = kept
	}
	o.each(func(r *state.Run) {
		h := r.Ledger.Halt
		named := s.Run != "" || s.Task != "" || lifted[h.Incident]
		if h.Active() && named {
			o.lift(r)
		}
		if s.Task != "" && s.Run == "" {
			o.reopen(r.ID.TaskID(), "")
		}
	})
}

// lift resumes one run.
func (o *operation) lift(r *state.Run) {
	add := o.event.Operator.Add
	fresh := state.NewLedger()
	fresh.Controls, fresh.Fired, fresh.Lifted = r.Ledger.Controls, r.Ledger.Fired, r.Ledger.Lifted
	if s := o.event.Operator.Scope; s.Run != "" || s.Task != "" {
		fresh.Lifted = o.halt.Cause.Seq
	}
	r.Ledger = fresh
	r.Window = r.Window.Fresh(o.part.Memory())
	r.Granted.MaxTurns += add.MaxTurns
	r.Granted.MaxCostUSD += add.MaxCostUSD
	r.Granted.MaxWallClockMS += add.MaxWallClockMS
	r.Granted.MaxTokens += add.MaxTokens
	o.part.Touch(r)
	if r.Root() {
		o.reopen(r.ID.TaskID(), r.ID.Run)
	}
	if o.event.Operator.Note != "" {
		d := o.decision(r)
		d.Evidence.What, d.Note = "was resumed by an operator", o.event.Operator.Note
		o.control(d, r, actions.Inject, o.out)
	}
	o.schedule(r)
}

// reopen lifts the halt of a task, only that of the named run where one is
// named.
func (o *operation) reopen(id state.TaskID, from string) {
	t := o.part.Task(id)
	if t.Tomb.Active() && (from == "" || t.Tomb.FromRun == from) {
		t.Tomb = state.Halt{}
		o.part.TouchTask(t)
	}
}

// each calls fn for every run the scope covers.
func (o *operation) each(fn func(*state.Run)) {
	s := o.event.Operator.Scope
	if s.Tenant != "" && s.Task != "" && s.Run != "" {
		if r := o.part.Run(state.RunID{Tenant: s.Tenant, Task: s.Task, Run: s.Run}); r != nil {
			fn(r)
		}
		return
	}
	_ = o.part.EachRun(func(r *state.Run) bool { // its error is kept by the partition
		if (s.Tenant == "" || s.Tenant == r.ID.Tenant) && (s.Agent == "" || s.Agent == r.Agent) &&
			(s.Task == "" || s.Task == r.ID.Task) && (s.Run == "" || s.Run == r.ID.Run) {
			fn(r)
		}
		return true
	})
}
