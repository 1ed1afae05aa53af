package engine

import (
	"fmt"
	"time"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Engine folds the events of one partition. Between events it holds nothing
// but the policy in force and scratch memory. It is not safe for concurrent
// use.
type Engine struct {
	part    *state.Partition
	policy  *actions.Policy
	fixed   bool // the policy does not follow the partition's policy events
	key     features.Key
	applier state.Applier
	out     Result // of the event under way
}

// New returns an engine for a partition. It runs the policy that the partition
// has in force, or fallback where none was ever set; with fixed it runs
// fallback whatever the partition says.
func New(part *state.Partition, fallback *actions.Policy, fixed bool, key features.Key) (*Engine, error) {
	g := &Engine{part: part, fixed: fixed, key: key}
	g.use(fallback)
	if fixed || part.Meta.Policy.YAML == "" {
		return g, nil
	}
	p, err := actions.Parse([]byte(part.Meta.Policy.YAML))
	if err != nil {
		return nil, fmt.Errorf("parse the policy in force on partition %d: %w", part.Number, err)
	}
	g.use(p)
	return g, nil
}

// Policy returns the policy in force.
func (g *Engine) Policy() *actions.Policy { return g.policy }

func (g *Engine) use(p *actions.Policy) {
	g.policy = p
	g.part.SetMemory(p.Memory)
	g.applier.Features = features.New(p.Features(g.key))
	g.applier.Features.Lends = true
}

// Result is what one event led to.
type Result struct {
	Order     state.Order
	Reject    *events.Reject // set where the event belongs to the dead letters
	Decisions []actions.Decision
	Answer    Answer          // what a check is told
	Policy    *actions.Policy // that decided
	Resend    []Resend        // halts to send again as they are stored
	Lost      []Lost          // runs closed for want of events
	Waited    time.Duration   // how long the control that this event acknowledges had waited, by stored time; 0 for none
}

// Lost names a run that was closed for want of events.
type Lost struct {
	Run   state.RunID
	Agent string
}

// Answer is the ground of a verdict.
type Answer struct {
	Decision actions.Ruling
	Replay   state.Ref // result to hand back, when Decision is replay
	ReplayOf state.Ref // the call it answered
	Unacked  []state.Control
	LastSeq  uint64
}

// Resend names a control whose stored bytes go out again.
type Resend struct {
	Target  state.RunID
	Agent   string
	Control string
}

// Step applies one event. The event's StreamSeq and Stored must be set. An
// error means that the state could not be loaded and nothing may be done.
func (g *Engine) Step(e *events.Event) (Result, error) {
	g.out = Result{}
	out := &g.out
	g.part.Meta.ClockMS = max(g.part.Meta.ClockMS, e.Stored.UnixMilli())
	switch e.Kind {
	case events.Tick:
		g.tick(out)
	case events.PolicyChange:
		out.Reject = g.changePolicy(e)
	case events.OperatorAct:
		out.Reject = g.operate(e, out)
	default:
		g.worker(e, out)
	}
	if err := g.part.Err(); err != nil {
		return Result{}, fmt.Errorf("step event %s: %w", e.ID, err)
	}
	out.Policy = g.policy
	g.count(out)
	return *out, nil
}

// count puts the event into exactly one bucket.
func (g *Engine) count(out *Result) {
	c := &g.part.Meta.Counts
	switch {
	case out.Reject != nil:
		c.Rejected++
	case out.Order == state.Duplicate:
		c.Duplicate++
	case out.Order == state.LateEvent:
		c.Late++
	default:
		c.Applied++
	}
}

func (g *Engine) changePolicy(e *events.Event) *events.Reject {
	p, err := actions.Parse([]byte(e.Policy.YAML))
	if err != nil {
		return &events.Reject{Reason: events.ReasonBadValue, Field: "policy.yaml", Detail: "policy.yaml: " + err.Error()}
	}
	g.part.Meta.Policy = state.PolicyRef{Name: e.Policy.Name, Digest: p.Digest, YAML: e.Policy.YAML}
	if !g.fixed {
		g.use(p)
	}
	return nil
}

// worker applies an event of a run.
func (g *Engine) worker(e *events.Event, out *Result) {
	r, fresh := g.find(e)
	if r.Phase == state.Ended && e.Kind != events.RunStart && e.Kind != events.ControlAck && !r.Seq.Knows(e.ID) {
		out.Reject = &events.Reject{Reason: events.ReasonRunEnded, Detail: "run " + e.Run + " has ended; only a run_start opens it again"}
		return
	}
	g.part.Touch(r)
	g.silence(r, e.Stored.UnixMilli(), out)
	back := r.Phase == state.Lost || r.Phase == state.Ended && e.Kind == events.RunStart
	out.Order = g.applier.Apply(r, e)
	if r.Phase == state.Lost && out.Order != state.Duplicate {
		r.Phase = state.Live
	}
	g.join(r)
	if out.Order != state.Duplicate {
		if t := g.part.Task(r.ID.TaskID()); t.Fail(r) {
			g.part.TouchTask(t)
		}
		if fresh || back {
			g.greet(e, r, out)
		}
		g.react(e, r, out)
		if fresh && !r.Root() {
			g.spawned(e, r, out)
		}
		g.schedule(r)
	}
	out.Answer = g.answer(e, r)
}

// find returns the event's run, created where it is not known.
func (g *Engine) find(e *events.Event) (r *state.Run, fresh bool) {
	id := state.RunID{Tenant: e.Tenant, Task: e.Task, Run: e.Run}
	if r = g.part.Run(id); r != nil {
		return r, false
	}
	return g.part.Create(id, e.Agent), true
}

// join keeps the run's entry in its task.
func (g *Engine) join(r *state.Run) {
	t := g.part.Task(r.ID.TaskID())
	m := t.Member(r.ID.Run)
	if m == nil {
		m = t.Join(r.ID.Run, r.Parent, r.Agent)
		if r.Root() {
			t.Attempts++
		} else {
			t.Spawned++
		}
	} else if m.Over == (r.Phase != state.Live) && m.Parent == r.Parent {
		return
	}
	m.Over, m.Parent = r.Phase != state.Live, r.Parent
	g.part.TouchTask(t)
}

// react runs the detectors and the policy over the event just applied.
func (g *Engine) react(e *events.Event, r *state.Run, out *Result) {
	switch {
	case e.Kind == events.ControlAck:
		out.Waited = g.waited(e, r)
		r.Ledger.Ack(e.Ack.Control)
		return
	case r.Ledger.Halt.Active():
		g.pastHalt(e, r, out)
		return
	case !r.Cur.Counts:
		return
	}
	view := state.View{Run: r, Task: g.part.Task(r.ID.TaskID())}
	found := g.detect(view, e, func(rule *actions.Rule) bool { return rule.Wants(e.Kind) })
	g.replay(r, found)
	decided := g.policy.Decide(view, found)
	for i := range decided {
		if e.Call != nil && decided[i].Kind == actions.Inject {
			decided[i].ReplayOf, decided[i].CallID = r.Cur.ReplayOf, e.Call.ID
		}
	}
	g.add(e, r, out, decided...)
}

// waited returns how long the control had waited that the event acknowledges: it
// expires a fixed time after its cause.
func (g *Engine) waited(e *events.Event, r *state.Run) time.Duration {
	for _, c := range r.Ledger.Unacked {
		if c.ID == e.Ack.Control {
			since := c.ExpiresMS - g.policy.Control.Milliseconds()
			return max(time.Duration(e.Stored.UnixMilli()-since)*time.Millisecond, 0)
		}
	}
	return 0
}

// replay notes which result may be handed back instead of executing the call.
func (g *Engine) replay(r *state.Run, found []actions.Found) {
	for i := range found {
		f := &found[i]
		if !f.Replay.IsZero() && f.Rule.Mode == actions.Enforce && !g.policy.Holds(r.ID.TaskID(), f.Detector) && g.policy.MayReplay(r, f.Evidence.Tool, f.Evidence.Hash) {
			r.Cur.Replay, r.Cur.ReplayOf = f.Replay, f.ReplayOf
		}
	}
}

// detect asks the detectors whose rule is meant.
func (g *Engine) detect(v state.View, e *events.Event, meant func(*actions.Rule) bool) []actions.Found {
	var found []actions.Found
	for i := range g.policy.Rules {
		rule := &g.policy.Rules[i]
		if !meant(rule) {
			continue
		}
		if f, ok := rule.Detector.Detect(v, e); ok {
			f.Detector = rule.Spec.Name
			found = append(found, actions.Found{Finding: f, Rule: rule})
		}
	}
	return found
}

// add completes decisions with their cause and carries out what halts mean for
// the rest of the task.
func (g *Engine) add(e *events.Event, r *state.Run, out *Result, decided ...actions.Decision) {
	for _, d := range decided {
		d.CauseID, d.Seq = e.ID, e.Seq
		out.Decisions = append(out.Decisions, d)
		if d.Reason == actions.Acted && d.Kind == actions.HaltRun {
			g.cascade(d, r, out)
		}
	}
}
