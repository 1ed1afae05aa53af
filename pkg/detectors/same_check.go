package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// SameCheck finds a check, such as a test run, that fails in the same words
// after several different changes: they do not reach what fails.
//
// Only the lines that state failures are compared, without times and line
// numbers. Checks between which nothing took effect are one, and so are those of
// one round; those are for `repeat`. Where the failing lines come to fewer than
// 120 characters, or an edit brings the check itself, only those changes count
// that write or replace at least two lines which an earlier one of the run wrote
// or replaced; under 60 characters nothing is compared.
type SameCheck struct {
	Changes int `yaml:"changes" bound:"2..1000" doc:"failures in the same words, each after another change, at which to speak"`
}

// NewSameCheck returns the parameters of the default policy.
func NewSameCheck() SameCheck { return SameCheck{Changes: 5} }

// Validate reports every parameter out of bounds.
func (d SameCheck) Validate() error { return Check(d) }

// Detect implements Detector.
func (d SameCheck) Detect(w state.View, e *events.Event) (Finding, bool) {
	s, t := &w.Cur.Step, &w.Cur.Check
	if e.Kind != events.ToolResult || s.Call.IsZero() || t.Count < d.Changes {
		return Finding{}, false
	}
	return Finding{
		Cause: causeOf(t.Hash, hashOfName("same check")), Weight: Whole, Need: Whole, Slow: true,
		Evidence: Evidence{
			Tool: toolOf(w, e), Hash: s.Tool, Count: t.Count, Since: t.Since,
			Events: trail(t.First, s.Call, w.Cur.Ref), Calls: []state.Ref{s.Call}, Answer: w.Cur.Ref,
			What:   "has failed in the same words " + times(t.Count) + ", each time after another change",
			Advice: "None of the changes reached what fails; find out first where it comes from.",
		},
	}, true
}
