package engine

import (
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// spawned charges the root of a tree with a run that begins below it. The
// decisions are the root's; their cause is the event of the new run.
func (g *Engine) spawned(e *events.Event, r *state.Run, out *Result) {
	t := g.part.Task(r.ID.TaskID())
	up := t.Ancestors(r.ID.Run)
	if len(up) == 0 {
		return
	}
	root := g.part.Run(state.RunID{Tenant: r.ID.Tenant, Task: r.ID.Task, Run: up[len(up)-1]})
	if root == nil || root.Phase != state.Live || root.Ledger.Halt.Active() {
		return
	}
	defer func(ms int64) { root.StoredMS = ms }(root.StoredMS) // it is the time of the root's own events
	root.StoredMS = max(root.StoredMS, r.StoredMS)
	root.Cur = state.Current{Ref: r.Cur.Ref, Kind: e.Kind, Round: max(root.Window.Round.Number, 1), Counts: true}
	view := state.View{Run: root, Task: t}
	found := g.detect(view, e, func(rule *actions.Rule) bool { return rule.Spec.Tree })
	if len(found) == 0 {
		return
	}
	g.part.Touch(root)
	g.add(e, root, out, g.policy.Decide(view, found)...)
	g.schedule(root)
}
