package engine

import (
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// silence asks the detectors of time at every deadline of theirs that has
// passed by now. It comes before whatever else happens to the run, so a finding
// does not depend on whether a tick or the run's next event came first.
func (g *Engine) silence(r *state.Run, now int64, out *Result) {
	if r.Phase != state.Live {
		return
	}
	for !r.Ledger.Halt.Active() {
		due := g.silentUntil(r)
		if due == 0 || due > now {
			return
		}
		r.SilentMS = due
		g.overdue(r, due, out)
	}
}

// silentUntil returns the next time at which a detector of time is to be
// asked, in milliseconds since 1970; 0 for never.
func (g *Engine) silentUntil(r *state.Run) int64 {
	var next int64
	view := state.View{Run: r, Task: g.part.Task(r.ID.TaskID())}
	for i := range g.policy.Rules {
		rule := &g.policy.Rules[i]
		if rule.Spec.Due == nil {
			continue
		}
		if at := rule.Spec.Due(rule.Detector, view); at != 0 && (next == 0 || at < next) {
			next = at
		}
	}
	return next
}

// overdue judges a run at a deadline. What is decided is stamped with it and
// carries the run's last event, since no event of its own caused it.
func (g *Engine) overdue(r *state.Run, due int64, out *Result) {
	stored := r.StoredMS
	r.StoredMS = due
	r.Cur = state.Current{Ref: r.LastRef, Kind: events.Tick, Round: max(r.Window.Round.Number, 1), Counts: true}
	e := events.Event{Kind: events.Tick, ID: string(r.LastID), Seq: r.LastSeq, Stored: time.UnixMilli(due).UTC()}
	view := state.View{Run: r, Task: g.part.Task(r.ID.TaskID())}
	found := g.detect(view, &e, func(rule *actions.Rule) bool { return rule.Spec.Due != nil })
	if len(found) > 0 {
		g.add(&e, r, out, g.policy.Decide(view, found)...)
	}
	r.StoredMS = stored
}
