package oracle

import (
	"slices"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// ring is how many events of its run an id is remembered for.
const ring = 256

// lostAfter is how long a run may say nothing.
const lostAfter = 24 * time.Hour

type partition struct {
	preset  string
	of      int
	last    uint64
	taken   int // messages
	buckets Buckets
	tasks   map[string]*task
	order   []*task
	halts   []scoped // operators' halts of more than one run, in force
}

// run is one run with everything that was applied to it.
type run struct {
	task                     *task
	id, agent, parent        string
	ids                      []string // of applied events
	said                     []events.Event
	fresh                    int // first of said that counts since it was resumed
	phase                    string
	halt                     *halt
	resumed                  int // number of the message that resumed it
	dups, late               int
	seq                      uint64
	heard                    time.Time // stored
	incidents                []*incident
	observations             int
	clock                    time.Duration
	clockAt                  time.Time
	costUSD                  float64
	maxTurns, maxMS, maxToks int64
	maxUSD                   float64
	tokens                   int64
}

// take puts one message into its bucket and judges it.
func (p *partition) take(m Message) {
	for ; p.last+1 < m.Seq; p.last++ {
		p.buckets.Gap++
	}
	p.last = m.Seq
	p.taken++
	e, err := events.Decode(m.Data, 0)
	if err != nil || reject(m, e, p.of) {
		p.buckets.Rejected++
		return
	}
	if !m.Stored.IsZero() {
		e.Stored = m.Stored
	}
	if e.Stored.IsZero() {
		e.Stored = e.Time
	}
	if e.Kind.Ours() {
		p.buckets.Applied++
		p.own(e)
		return
	}
	p.worker(e)
}

func (p *partition) worker(e events.Event) {
	t := p.tasks[e.Tenant+" "+e.Task]
	if t == nil {
		t = &task{p: p, tenant: e.Tenant, name: e.Task}
		p.tasks[e.Tenant+" "+e.Task] = t
		p.order = append(p.order, t)
	}
	r := t.run(e.Run)
	opens := r == nil
	if r == nil {
		r = &run{task: t, id: e.Run, agent: e.Agent, phase: "live"}
		t.runs = append(t.runs, r)
	}
	if slices.Contains(r.ids[max(0, len(r.ids)-ring):], e.ID) {
		p.buckets.Duplicate++
		r.dups++
		return
	}
	if r.phase == "ended" && e.Kind != events.RunStart {
		p.buckets.Rejected++
		return
	}
	opens = opens || r.phase == "ended"
	if r.phase != "live" {
		r.phase = "live"
	}
	r.place(e, &p.buckets)
	r.heard = e.Stored
	if e.Parent != "" && r.parent == "" {
		r.parent = e.Parent
	}
	r.ids = append(r.ids, e.ID)
	r.said = append(r.said, e)
	r.account(e)
	if e.Kind == events.RunEnd && e.Origin != events.FromLoopwatch {
		r.phase = "ended"
	}
	if opens && r.halt == nil {
		t.greet(r, e)
	}
	r.judge(e)
}

// place counts the event's place among those of its run.
func (r *run) place(e events.Event, b *Buckets) {
	switch {
	case e.Seq == 0:
		b.Applied++
	case e.Seq <= r.seq:
		b.Late++
		r.late++
	default:
		b.Applied++
		r.seq = e.Seq
	}
}

// own applies a tick or an operator's act.
func (p *partition) own(e events.Event) {
	for _, t := range p.order {
		for _, r := range t.runs {
			if e.Kind == events.Tick && r.phase == "live" && e.Stored.Sub(r.heard) >= lostAfter {
				r.phase = "lost"
			}
		}
	}
	if e.Kind == events.OperatorAct {
		p.operate(e)
	}
}

func (r *run) standing() Standing {
	s := Standing{
		Tenant: r.task.tenant, Task: r.task.name, Run: r.id, Phase: r.phase, Halted: r.halt != nil,
		Duplicates: r.dups, Late: r.late, LastSeq: r.seq,
	}
	last, seqs := 0, map[uint64]bool{}
	for _, e := range r.said {
		seqs[e.Seq] = e.Seq > 0
		if e.Round > last && e.Origin != events.FromLoopwatch { // a round that comes late opens nothing
			last = e.Round
			s.Turns++
		}
		if e.Kind == events.ToolCall && e.Origin != events.FromLoopwatch {
			s.Calls++
		}
	}
	delete(seqs, 0)
	s.Gaps = r.seq - uint64(len(seqs)) // what came late is no gap any more
	return s
}
