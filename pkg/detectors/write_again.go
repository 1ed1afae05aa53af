package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// WriteAgain finds a text that a shell command writes to the same target again,
// byte for byte, whatever happened in between and whatever the tool answered.
//
// Texts of fewer than 40 characters are too common to tell. Edits by other
// tools are calls, and what `repeat` is for.
type WriteAgain struct {
	Times int `yaml:"times" bound:"2..1000" doc:"round at which the same text written to the same target speaks"`
}

// NewWriteAgain returns the parameters of the default policy.
func NewWriteAgain() WriteAgain { return WriteAgain{Times: 3} }

// Validate reports every parameter out of bounds.
func (d WriteAgain) Validate() error { return Check(d) }

// Detect implements Detector.
func (d WriteAgain) Detect(w state.View, e *events.Event) (Finding, bool) {
	s, t := &w.Cur.Step, &w.Cur.Payload
	if e.Kind != events.ToolResult || s.Call.IsZero() || !w.Cur.Call.Shell || t.Count < 2 {
		return Finding{}, false
	}
	return Finding{
		Cause: causeOf(t.Hash, hashOfName("write again")), Weight: Whole, Need: (d.Times - 1) * Whole,
		Evidence: Evidence{
			Tool: toolOf(w, e), Hash: s.Tool, Count: t.Count, Since: t.Since,
			Events: trail(t.First, s.Call, w.Cur.Ref), Calls: []state.Ref{s.Call}, Answer: w.Cur.Ref,
			What:   "has written the same text to the same place " + times(t.Count),
			Advice: "The text was written before; writing it once more changes nothing.",
		},
	}, true
}
