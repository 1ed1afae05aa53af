package report

import (
	"time"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Options say what is reported. The zero Options report everything.
type Options struct {
	Tenant, Agent string          // only of these; empty for all
	Since, Until  time.Time       // only what lies from Since up to, not including, Until; zero for no bound
	Within        int             // turns within which a repetition has to end; 0 means DefaultWithin
	Bucket        time.Duration   // width of a point of the rates; 0 means DefaultBucket
	Policy        *actions.Policy // by whose identity rules calls are compared; nil means the default preset
}

// Defaults of Options.
const (
	DefaultWithin = 10        // a repetition that goes on takes its next rung within ten turns under the default policy
	DefaultBucket = time.Hour // as the guard-fire rate of the metrics looks back
)

// lostAfter is the silence in stored time after which a run counts as lost
// where nothing else closed it.
const lostAfter = 24 * time.Hour

// Collector takes in what happened. Feed it each partition's events in stream
// order, each decision behind the event that caused it; partitions may come one
// after the other or mixed. It is not safe for concurrent use.
type Collector struct {
	opts    Options
	applier state.Applier
	memory  int
	runs    map[state.RunID]*run
	newest  int64 // stored time in ms of the newest event

	tools    tools
	attempts attempts
	savings  savings
	rates    rates
	blocked  blocked
	count    Counted
}

// Counted says what a report rests on.
type Counted struct {
	Events    int       `json:"events"`    // taken in, of whatever time
	Decisions int       `json:"decisions"` // taken in, acted or withheld
	Runs      int       `json:"runs"`      // that lie in the report's time; one opened again counts again
	Live      int       `json:"live"`      // of them still under way
	From      time.Time `json:"from,omitzero"`
	To        time.Time `json:"to,omitzero"`
	Partial   bool      `json:"partial,omitzero"` // the oldest events were no longer stored: earlier parts of runs are missing
}

// New returns an empty collector. It fails where the default preset cannot be
// read.
func New(o Options) (*Collector, error) {
	if o.Within <= 0 {
		o.Within = DefaultWithin
	}
	if o.Bucket <= 0 {
		o.Bucket = DefaultBucket
	}
	if o.Policy == nil {
		p, err := actions.Preset(actions.DefaultPreset)
		if err != nil {
			return nil, err
		}
		o.Policy = p
	}
	c := &Collector{opts: o, memory: o.Policy.Memory, runs: map[state.RunID]*run{}}
	c.applier.Features = features.New(o.Policy.Features(features.Key{}))
	c.rates.width = o.Bucket
	return c, nil
}

// Event takes in one event. Its Stored must be set, or else its Time is taken
// for it.
func (c *Collector) Event(e *events.Event) {
	c.count.Events++
	stored := e.Stored
	if stored.IsZero() {
		stored = e.Time
	}
	c.newest = max(c.newest, stored.UnixMilli())
	if e.Operator != nil && e.Operator.Action == "resume" {
		c.resume(e.Operator)
	}
	if e.Kind.Ours() || e.Origin == events.FromLoopwatch || c.opts.Tenant != "" && e.Tenant != c.opts.Tenant || c.opts.Agent != "" && e.Agent != c.opts.Agent {
		return
	}
	r := c.open(e, stored.UnixMilli())
	if r == nil {
		return
	}
	own := *e
	own.Stored = stored
	c.take(r, &own)
}

// open returns the run of an event, nil where the event says nothing new of a
// run that is over.
func (c *Collector) open(e *events.Event, storedMS int64) *run {
	id := state.RunID{Tenant: e.Tenant, Task: e.Task, Run: e.Run}
	r := c.runs[id]
	switch {
	case r == nil:
		r = &run{id: id, agent: e.Agent}
		c.runs[id] = r
		r.begin(c.memory)
	case r.state != nil && storedMS-r.lastMS > lostAfter.Milliseconds():
		c.close(r, "lost", r.lastMS+lostAfter.Milliseconds())
		r.begin(c.memory)
	case r.state == nil && (e.Kind != events.RunStart || e.ID == r.startID):
		return nil
	case r.state == nil:
		r.begin(c.memory)
	}
	return r
}

// take applies an event to its run.
func (c *Collector) take(r *run, e *events.Event) {
	if c.applier.Apply(r.state, e) == state.Duplicate {
		return
	}
	r.lastID = append(r.lastID[:0], e.ID...)
	r.lastKind, r.lastMS = e.Kind, max(r.lastMS, e.Stored.UnixMilli())
	if e.Round > r.turn.round && e.Kind != events.RunEnd {
		c.endTurn(r)
		r.turn = turn{round: e.Round}
	}
	switch {
	case e.Start != nil:
		r.startID = e.ID
	case e.Turn != nil:
		r.price(e)
	case e.Call != nil:
		r.called(e.Call)
	case e.Result != nil:
		c.answered(r, e)
	case e.End != nil:
		if b := e.End.Blocked; b != nil {
			r.blocker = *b
		}
		c.close(r, string(e.End.Status), e.Stored.UnixMilli())
	}
}

// Decision takes in one decision, acted or withheld, as it is logged.
func (c *Collector) Decision(m *actions.Message) {
	c.count.Decisions++
	if c.opts.Tenant != "" && m.Tenant != c.opts.Tenant || c.opts.Agent != "" && m.Agent != c.opts.Agent {
		return
	}
	r := c.runs[state.RunID{Tenant: m.Tenant, Task: m.Task, Run: m.Run}]
	if r == nil || r.state == nil {
		return
	}
	c.decided(r, m)
}

// in reports whether a time lies in the report's.
func (c *Collector) in(ms int64) bool {
	t := time.UnixMilli(ms)
	return (c.opts.Since.IsZero() || !t.Before(c.opts.Since)) && (c.opts.Until.IsZero() || t.Before(c.opts.Until))
}
