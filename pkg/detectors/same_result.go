package detectors

import (
	"slices"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// SameResult finds one tool that gives the same answer whatever it is asked,
// while nothing takes effect.
//
// It counts equal answers of a tool in a row, and equal negative answers whose
// calls have an argument in common. A short positive answer is an
// acknowledgement and counts for neither; nor does a call that is made again
// after a user message or new information, or that has no arguments to adjust:
// those `repeat` weighs. Writes never count, and of shell commands only answers
// in a row do. Nor do rounds in which the tool was asked different things at
// once: none of those calls knew what the others would bring, whatever the order
// of their answers.
type SameResult struct {
	InARow   int `yaml:"in_a_row" bound:"2..1000" doc:"round at which the same answer of a tool, with none other of it in between, speaks"`
	Negative int `yaml:"negative" bound:"2..1000" doc:"round at which the same negative answer to adjusted arguments speaks"`
}

// NewSameResult returns the parameters of the default policy.
func NewSameResult() SameResult { return SameResult{InARow: 4, Negative: 4} }

// Validate reports every parameter out of bounds.
func (d SameResult) Validate() error { return Check(d) }

// Detect implements Detector.
func (d SameResult) Detect(w state.View, e *events.Event) (Finding, bool) {
	s, c := &w.Cur.Step, &w.Cur.Call
	if e.Kind != events.ToolResult || s.Call.IsZero() || c.NoArgs || c.Waits || writes(c.Effect) {
		return Finding{}, false
	}
	if t := &w.Cur.Stuck; t.Count >= d.InARow {
		f := d.finding(w, e, t.Count, t.Since, t.First)
		f.Cause, f.Need = causeOf(s.Tool, hashOfName("same result")), Whole
		f.Evidence.What = "has given the same answer " + times(t.Count) + " in a row, whatever it was asked"
		return f, true
	}
	o := &w.Cur.Outcome
	switch {
	case !w.Cur.Result.Negative, s.Error, c.Shell, w.Cur.Moved:
		return Finding{}, false
	case o.Sole == 0, o.Tool != s.Tool, o.Epoch != s.Epoch, s.Round <= o.Round, !shares(o.Args, c.Args):
		return Finding{}, false
	case w.Window.Together(s.Tool, s.Round):
		return Finding{}, false
	}
	f := d.finding(w, e, int(o.Sole)+1, o.Round, o.First)
	f.Cause, f.Need = causeOf(s.Tool, s.Result), (d.Negative-1)*Whole
	f.Evidence.What = "has given the same negative answer " + times(f.Evidence.Count) + ", with slightly different arguments"
	return f, true
}

func (d SameResult) finding(w state.View, e *events.Event, n, since int, first state.Ref) Finding {
	return Finding{
		Weight: Whole,
		Evidence: Evidence{
			Tool: toolOf(w, e), Hash: w.Cur.Call.Tool, Count: n, Since: since,
			Events: trail(first, w.Cur.Step.Call, w.Cur.Ref), Calls: []state.Ref{w.Cur.Step.Call}, Answer: w.Cur.Ref,
			Advice: "Asking in other words has brought the same answer each time.",
		},
	}
}

// shares reports whether two calls have an argument in common.
func shares(a, b []features.Hash) bool {
	return slices.ContainsFunc(a, func(x features.Hash) bool { return slices.Contains(b, x) })
}
