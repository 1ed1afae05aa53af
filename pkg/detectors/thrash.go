package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Thrash finds calls that are all different and still show only what was seen
// before: most of the last ones brought lines that were all but known, and
// nothing took effect in between.
//
// A call is one of these when it shows three lines or more of which at most a
// tenth is new, whatever the call. Calls of one round are one, judged when the
// last of them is answered: one that shows something new is enough. An effective
// change begins the count anew; writes and short answers are none.
type Thrash struct {
	Calls int `yaml:"calls" bound:"2..32" doc:"calls that show only known lines at which to speak"`
	Among int `yaml:"among" bound:"2..32" doc:"how many of the last calls are looked at"`
}

// NewThrash returns the parameters of the default policy.
func NewThrash() Thrash { return Thrash{Calls: 7, Among: 12} }

// Validate reports every parameter out of bounds.
func (d Thrash) Validate() error { return Check(d) }

// Detect implements Detector.
func (d Thrash) Detect(w state.View, e *events.Event) (Finding, bool) {
	s, ring := &w.Cur.Step, &w.Window.Memo.Familiar
	if e.Kind != events.ToolResult || s.Call.IsZero() || !w.Cur.Completed || ring.Len() == 0 || !*ring.Back(0) {
		return Finding{}, false
	}
	n, oldest := 0, 0
	for i := range min(d.Among, ring.Len()) {
		if *ring.Back(i) {
			n, oldest = n+1, i
		}
	}
	if n < d.Calls {
		return Finding{}, false
	}
	steps := &w.Window.Steps
	first := steps.Back(min(oldest, steps.Len()-1))
	return Finding{
		Cause: causeOfName("thrash"), Weight: Whole, Need: Whole,
		Evidence: Evidence{
			Tool: toolOf(w, e), Hash: s.Tool, Count: n, Since: min(first.Round, w.Window.Round.Number),
			Events: trail(first.Call, s.Call, w.Cur.Ref), Calls: []state.Ref{s.Call}, Answer: w.Cur.Ref,
			What:   "is one of " + countOf(n, "call") + " in a short while that showed only what was seen before",
			Advice: "What these calls show is known already; decide on what is known.",
		},
	}, true
}
