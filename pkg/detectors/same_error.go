package detectors

import (
	"encoding/binary"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// SameError finds the same class of error met again: the error with
// identifiers, numbers, quotes, paths, times and echoed arguments folded away.
// Arguments are ignored.
//
// It fires on failures of one tool since that tool's last success, and on
// failures over several tools with no success of any in between. An effective
// change begins a read's count anew. Failures of one round count once;
// infrastructure weather and replayed results never count. Of shell commands
// and of reads without arguments only the count over tools is kept: the class
// of a command's error is too coarse, and such a read cannot be adjusted.
type SameError struct {
	SameTool int `yaml:"same_tool" bound:"2..1000" doc:"round at which the same error class of one tool speaks, counted since that tool's last success"`
	Siblings int `yaml:"siblings" bound:"2..1000" doc:"round at which the same error class over several tools speaks, with no success of any tool in between"`
}

// NewSameError returns the parameters of the default policy.
func NewSameError() SameError { return SameError{SameTool: 3, Siblings: 5} }

// Validate reports every parameter out of bounds.
func (d SameError) Validate() error { return Check(d) }

// Detect implements Detector.
func (d SameError) Detect(w state.View, e *events.Event) (Finding, bool) {
	s := &w.Cur.Step
	if e.Kind != events.ToolResult || s.Call.IsZero() || !s.Error || w.Cur.Call.Waits {
		return Finding{}, false
	}
	one, all := &w.Cur.Error, &w.Cur.Sibling
	switch {
	case one.Count >= d.SameTool:
	case all.Count >= d.Siblings && len(all.Tools) > 1:
		return d.siblings(w, e, all), true
	case one.Count < 2:
		return Finding{}, false
	}
	f := d.finding(w, e, one)
	f.Cause = causeOf(s.Tool, s.Class, features.Hash(binary.LittleEndian.Uint64(one.First.ID[:])))
	f.Need = (d.SameTool - 1) * Whole
	f.Evidence.What = "has failed " + times(one.Count) + " with the same kind of error, whatever the arguments"
	return f, true
}

// weight is half a step where the same call is tried again after something that
// may have been a change.
func (d SameError) weight(w state.View) int {
	if unknown(w.Cur.Call.Effect) && w.Cur.Moved {
		return Whole / 2
	}
	return Whole
}

func (d SameError) siblings(w state.View, e *events.Event, x *state.Errors) Finding {
	f := d.finding(w, e, x)
	f.Cause = causeOf(x.Class)
	f.Evidence.What = "is one of " + countOf(len(x.Tools), "tool") + " that have failed " + times(x.Count) +
		" in a row with the same kind of error"
	return f
}

func (d SameError) finding(w state.View, e *events.Event, x *state.Errors) Finding {
	return Finding{
		Weight: d.weight(w),
		Evidence: Evidence{
			Tool: toolOf(w, e), Hash: w.Cur.Call.Tool, Count: x.Count, Since: x.Since,
			Events: trail(x.First, w.Cur.Step.Call, w.Cur.Ref),
			Calls:  []state.Ref{w.Cur.Step.Call}, Answer: w.Cur.Ref,
			Advice: "The tool refuses this for a reason that other arguments of the same kind do not remove.",
		},
	}
}
