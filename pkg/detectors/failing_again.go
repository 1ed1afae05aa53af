package detectors

import (
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// FailingAgain finds failures of one tool in a row, with no success of any tool
// in between, two of which are the same call with the same answer.
//
// It speaks at the failure that makes it so many and at every further one.
// Failures of one round are one; a sweep of different commands that fail
// differently is no row, and infrastructure weather is none.
type FailingAgain struct {
	Failures int `yaml:"failures" bound:"2..8" doc:"failures of one tool in a row, two of them the same, at which to speak"`
}

// NewFailingAgain returns the parameters of the default policy.
func NewFailingAgain() FailingAgain { return FailingAgain{Failures: 3} }

// Validate reports every parameter out of bounds.
func (d FailingAgain) Validate() error { return Check(d) }

// Detect implements Detector.
func (d FailingAgain) Detect(w state.View, e *events.Event) (Finding, bool) {
	s, fails := &w.Cur.Step, &w.Window.Memo.Fails
	if e.Kind != events.ToolResult || s.Call.IsZero() || !s.Error || w.Cur.SameRound || w.Cur.Call.Waits || fails.Len() < d.Failures {
		return Finding{}, false
	}
	distinct := map[[2]features.Hash]bool{}
	for i := range d.Failures {
		f := fails.Back(i)
		distinct[[2]features.Hash{f.Key, f.Result}] = true
	}
	if len(distinct) == d.Failures {
		return Finding{}, false
	}
	first := fails.Back(d.Failures - 1)
	return Finding{
		Cause: causeOf(s.Tool, hashOfName("failing again")), Weight: Whole, Need: Whole,
		Evidence: Evidence{
			Tool: toolOf(w, e), Hash: s.Tool, Count: d.Failures, Since: first.Round,
			Events: trail(first.Call, s.Call, w.Cur.Ref), Calls: []state.Ref{s.Call}, Answer: w.Cur.Ref,
			What:   "has failed " + times(d.Failures) + " in a row, and more than once in the same way",
			Advice: "What failed the same way will fail again; the reason it gives has to be dealt with first.",
		},
	}, true
}
