package detectors

import (
	"fmt"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

func writes(e features.Effect) bool  { return e == features.Write }
func unknown(e features.Effect) bool { return e == features.Unknown }

// issued judges a call by how often it was issued, executed or not.
func (d Repeat) issued(w state.View, e *events.Event) (Finding, bool) {
	key, p := w.Cur.Call.Key, &w.Cur.Prior
	k := w.Window.Keys.Get(key)
	if k == nil || d.Count == CountRounds && p.Calls > 0 && p.Round == e.Round {
		return Finding{}, false
	}
	n, since, refs := d.issues(k), k.FirstRound, []state.Ref{k.First, p.Last}
	within := ""
	if d.Window > 0 {
		n, since, refs = d.recent(w, key)
		within = fmt.Sprintf(" within the last %d calls", d.Window)
	}
	if n < d.Occurrence {
		return Finding{}, false
	}
	f := Finding{
		Cause: key, Weight: Whole, Replay: k.FirstResult, ReplayOf: k.FirstCall,
		Evidence: Evidence{
			Tool: e.Call.Tool, Hash: w.Cur.Call.Tool, Count: n, Since: since,
			Events: trail(append(refs, w.Cur.Ref)...), Calls: []state.Ref{w.Cur.Ref},
			Answer: p.LastResult, What: "has been called " + times(n) + " with the same arguments" + within,
		},
	}
	return f, true
}

// issues says how often a call was issued in the whole run.
func (d Repeat) issues(k *state.Key) int {
	if d.Count == CountRounds {
		return int(k.Rounds)
	}
	return int(k.Calls)
}

// recent counts a call among the last ones, this one included, and lists where
// they are, oldest first.
func (d Repeat) recent(w state.View, key features.Hash) (n, since int, refs []state.Ref) {
	calls, round := &w.Window.Calls, 0
	for i := min(d.Window, calls.Len()) - 1; i >= 0; i-- {
		c := calls.Back(i)
		if c.Key != key || d.Count == CountRounds && n > 0 && c.Round == round {
			continue
		}
		if n == 0 {
			since = c.Round
		}
		n, round = n+1, c.Round
		refs = append(refs, c.Call)
	}
	return n, since, refs
}

// unanswered judges a call that is issued again, in another round and with no
// other call in between, while it has no answer yet.
func (d Repeat) unanswered(w state.View, e *events.Event) (Finding, bool) {
	c := &w.Cur.Call
	if w.Window.Calls.Len() < 2 || c.Waits || c.Effect == features.Think {
		return Finding{}, false
	}
	before := w.Window.Calls.Back(1)
	if before.Key != c.Key || before.Round == e.Round {
		return Finding{}, false
	}
	n, since, refs := open(w, c.Key)
	if len(refs) < 2 || refs[len(refs)-2] != before.Call {
		return Finding{}, false
	}
	return Finding{
		Cause: c.Key, Weight: Whole, Need: (d.Occurrence - 1) * Whole,
		Evidence: Evidence{
			Tool: e.Call.Tool, Hash: c.Tool, Count: n, Since: since,
			Events: trail(refs...), Calls: []state.Ref{w.Cur.Ref},
			What: "has been called " + times(n) + " with the same arguments while no call of them has an answer",
		},
	}, true
}

// open lists the calls of a key that have no answer, oldest first, and counts
// their rounds.
func open(w state.View, key features.Hash) (n, since int, refs []state.Ref) {
	round := 0
	for i := w.Window.Pending.Len() - 1; i >= 0; i-- {
		p := w.Window.Pending.Back(i)
		if p.Call.Key != key {
			continue
		}
		if len(refs) == 0 {
			since = p.Round
		}
		if p.Round != round {
			n, round = n+1, p.Round
		}
		refs = append(refs, p.Ref)
	}
	return n, since, refs
}
