package oracle

import "github.com/loopwatch/loopwatch/pkg/events"

// What is done about an incident.
const (
	inject   = "inject_observation"
	escalate = "escalate"
	halting  = "halt"
)

// mostObservations is how many observations a run gets.
const mostObservations = 3

// finding is what a rule says at one event.
type finding struct {
	detector, cause string
	rungs           []string
	first           int // number of its first rung; 0 means 1
}

// incident is a cause with the rungs that were taken for it.
type incident struct {
	detector, cause string
	id              string // the cause and its first event
	taken           int
}

// halt is why a run is halted.
type halt struct {
	detector, incident string
	rung               int
	round              int // the highest the run had reached
	at                 int // how much the run had said
	when               int // number of the message that brought it
	ignored            bool
}

func (r *run) incident(f finding, e events.Event) *incident {
	for _, i := range r.incidents {
		if i.detector == f.detector && i.cause == f.cause {
			return i
		}
	}
	i := &incident{detector: f.detector, cause: f.cause, id: r.id + " " + f.detector + " " + f.cause + " " + e.ID}
	r.incidents = append(r.incidents, i)
	return i
}

// judge decides what is done about the event.
func (r *run) judge(e events.Event) {
	if e.Origin == events.FromLoopwatch || e.Kind == events.RunEnd {
		return
	}
	r.watchHalt(e)
	rules := r.sundry
	if r.task.p.preset == "forty-times" {
		rules = r.forty
	}
	if r.halt != nil {
		return
	}
	told := false
	for _, f := range rules(e) {
		i := r.incident(f, e)
		if i.taken == len(f.rungs) || r.halt != nil {
			continue
		}
		kind, rung := f.rungs[i.taken], max(f.first, 1)+i.taken
		i.taken++
		switch kind {
		case inject:
			if told || r.observations == mostObservations {
				continue
			}
			told = true
			r.observations++
			r.act(e, f.detector, inject, i.id, rung)
		case escalate:
			r.act(e, f.detector, escalate, i.id, rung)
		case halting:
			r.act(e, f.detector, halting, i.id, rung)
			r.act(e, f.detector, escalate, i.id, rung)
			r.stop(f.detector, i.id, rung)
			r.task.cascade(r, e)
		}
	}
}

// watchHalt tells people when a halted run acts: a turn of a later round, or a
// result of a call that was stored behind the halt.
func (r *run) watchHalt(e events.Event) {
	if r.halt == nil || r.halt.ignored {
		return
	}
	acts := e.Kind == events.TurnKind && e.Round > r.halt.round
	if e.Kind == events.ToolResult && !e.Result.Replayed {
		for _, x := range r.said[r.halt.at:] {
			acts = acts || x.Kind == events.ToolCall && x.Origin != events.FromLoopwatch && x.Call.ID == e.Result.CallID && x.Round == e.Round
		}
	}
	if acts {
		r.halt.ignored = true
		r.act(e, "halt_ignored", escalate, r.halt.incident, r.halt.rung+1)
	}
}

func (r *run) act(e events.Event, detector, kind, cause string, rung int) {
	r.task.acted = append(r.task.acted, Acted{Cause: cause, Decision: Decision{
		Tenant: r.task.tenant, Task: r.task.name, Run: r.id, Event: e.ID, Detector: detector, Kind: kind, Rung: rung,
	}})
}

// stop halts the run from this event on.
func (r *run) stop(detector, incident string, rung int) {
	round := 0
	for _, e := range r.said {
		round = max(round, e.Round)
	}
	r.halt = &halt{detector: detector, incident: incident, rung: rung, round: round, at: len(r.said), when: r.task.p.taken}
}
