package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Stale finds rounds in a row that bring nothing but what the same calls brought
// before, in any order, while nothing took effect: repeats and cycles that are
// not regular enough for either.
//
// A round is judged when its last result is there: one new answer among them is
// enough. An effective change or a user message begins the count anew. A call
// that polls or waits is not accused.
type Stale struct {
	Rounds  int `yaml:"rounds" bound:"2..1000" doc:"rounds in a row that bring only what was had since the last effective change, at which to speak"`
	PollGap int `yaml:"poll_gap_seconds" bound:"0..86400" doc:"seconds between two calls of a polling tool from which on it is not accused; 0 for never"`
}

// NewStale returns the parameters of the default policy.
func NewStale() Stale { return Stale{Rounds: 3, PollGap: 20} }

// Validate reports every parameter out of bounds.
func (d Stale) Validate() error { return Check(d) }

// Detect implements Detector.
func (d Stale) Detect(w state.View, e *events.Event) (Finding, bool) {
	s, t, c := &w.Cur.Step, &w.Window.Memo.Idle, &w.Cur.Call
	switch {
	case e.Kind != events.ToolResult, s.Call.IsZero(), !w.Cur.Completed, t.Count < d.Rounds:
		return Finding{}, false
	case c.Waits, c.Sleeps, c.Again, w.Window.Waited >= w.Cur.Prior.CallNo, spaced(w, d.PollGap):
		return Finding{}, false
	}
	return Finding{
		Cause: causeOfName("stale"), Weight: Whole, Need: Whole,
		Evidence: Evidence{
			Tool: toolOf(w, e), Hash: s.Tool, Count: t.Count, Since: t.Since,
			Events: trail(t.First, s.Call, w.Cur.Ref), Calls: []state.Ref{s.Call}, Answer: w.Cur.Ref,
			What: "is the last of " + countOf(t.Count, "round") + " in a row that brought only answers which the same calls had brought before",
		},
	}, true
}
