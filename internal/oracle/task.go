package oracle

import "github.com/loopwatch/loopwatch/pkg/events"

// task is the runs of one task, in the order in which they were first heard.
type task struct {
	p            *partition
	tenant, name string
	runs         []*run
	acted        []Acted
}

func (t *task) run(id string) *run {
	for _, r := range t.runs {
		if r.id == id {
			return r
		}
	}
	return nil
}

// above are the run's ancestors in the task, the nearest first.
func (t *task) above(r *run) (out []*run) {
	for seen := map[*run]bool{r: true}; ; {
		if r = t.run(r.parent); r == nil || seen[r] {
			return out
		}
		seen[r] = true
		out = append(out, r)
	}
}

// cascade stops the live descendants of a run that was halted, and tells its
// parent.
func (t *task) cascade(r *run, e events.Event) {
	for _, d := range t.runs {
		if d == r || d.phase != "live" || d.halt != nil {
			continue
		}
		for _, a := range t.above(d) {
			if a == r {
				t.follow(d, r.halt, e)
			}
		}
	}
	if p := t.run(r.parent); p != nil && p != r && p.phase == "live" && p.halt == nil {
		p.act(e, r.halt.detector, inject, r.halt.incident, r.halt.rung)
	}
}

// follow halts a run because another one is halted.
func (t *task) follow(r *run, h *halt, e events.Event) {
	r.act(e, h.detector, halting, h.incident, h.rung)
	r.stop(h.detector, h.incident, h.rung)
}

// scoped is an operator's halt of everything that its scope covers, in force
// for what comes later, too.
type scoped struct {
	scope events.Scope
	halt  halt
}

// greet answers a run that opens: it is halted beside a halted root or below a
// halted run, by the last of these, or else where an operator halted its whole
// scope; and by none that it was resumed from.
func (t *task) greet(r *run, e events.Event) {
	var last *halt
	meets := func(h *halt) {
		if h != nil && h.when > r.resumed && (last == nil || h.when > last.when) {
			last = h
		}
	}
	for _, a := range t.above(r) {
		meets(a.halt)
	}
	for _, other := range t.runs {
		if other != r && other.parent == "" {
			meets(other.halt)
		}
	}
	for _, s := range t.p.halts {
		if last == nil && covers(s.scope, r) {
			meets(&s.halt)
		}
	}
	if last != nil {
		t.follow(r, last, e)
		r.halt.when = last.when // nothing new was halted
	}
}

func covers(s events.Scope, r *run) bool {
	match := func(want, is string) bool { return want == "" || want == is }
	return match(s.Tenant, r.task.tenant) && match(s.Agent, r.agent) && match(s.Task, r.task.name) && match(s.Run, r.id)
}

// operate obeys an operator: a halt stops what its scope covers now, and later
// too unless it names a run; a resume lifts exactly what it names.
func (p *partition) operate(e events.Event) {
	o := *e.Operator
	if o.Action == "resume" {
		p.resume(e, o)
		return
	}
	for _, t := range p.order {
		for _, r := range t.runs {
			if covers(o.Scope, r) && r.phase == "live" && r.halt == nil {
				r.act(e, "operator", halting, e.ID, 1)
				r.stop("operator", e.ID, 1)
				t.cascade(r, e)
			}
		}
	}
	if o.Scope.Run == "" {
		p.halts = append(p.halts, scoped{o.Scope, halt{detector: "operator", incident: e.ID, rung: 1, when: p.taken}})
	}
}

// resume lifts the halts of the runs or the task it names; a wider scope lifts
// the halt of the same scope, with the runs that it halted.
func (p *partition) resume(e events.Event, o events.Operator) {
	kept, lifted := p.halts[:0:0], map[string]bool{}
	for _, h := range p.halts {
		if h.scope != o.Scope {
			kept = append(kept, h)
			continue
		}
		lifted[h.halt.incident] = true
	}
	p.halts = kept
	named := o.Scope.Run != "" || o.Scope.Task != ""
	for _, t := range p.order {
		for _, r := range t.runs {
			if !covers(o.Scope, r) || r.halt == nil || !named && !lifted[r.halt.incident] {
				continue
			}
			r.halt, r.incidents, r.observations, r.fresh = nil, nil, 0, len(r.said)
			if named { // by its own name or its task's: no halt from before holds it
				r.resumed = p.taken
			}
			if o.Note != "" {
				r.act(e, "operator", inject, e.ID, 1)
			}
		}
	}
}
