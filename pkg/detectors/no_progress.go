package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// NoProgress finds turns in a row that leave the run's structured record as it
// was: turn.state, or turn.state_hash.
//
// It speaks at the turn that makes it so many, and at every further one. A
// finished plan step begins the count anew, even where the record did not
// change; a turn that reports no record neither counts nor breaks the row.
type NoProgress struct {
	Turns int `yaml:"turns" bound:"2..1000" doc:"turns in a row with the same state, the first included, at which to speak"`
}

// NewNoProgress returns the parameters of the default policy.
func NewNoProgress() NoProgress { return NoProgress{Turns: 3} }

// Validate reports every parameter out of bounds.
func (d NoProgress) Validate() error { return Check(d) }

// Detect implements Detector.
func (d NoProgress) Detect(w state.View, e *events.Event) (Finding, bool) {
	s := w.Window.State
	if e.Turn == nil || e.Turn.State == nil && e.Turn.StateHash == "" || s.Turns < d.Turns {
		return Finding{}, false
	}
	return Finding{
		Cause: causeOf(s.Hash), Weight: Whole, Slow: true,
		Evidence: Evidence{
			Count: s.Turns, Since: s.Round, Events: trail(s.First, w.Cur.Ref),
			What:   "has kept the same state for " + countOf(s.Turns, "turn") + " in a row",
			Advice: "More turns of the same kind leave the record as it is.",
		},
	}, true
}
