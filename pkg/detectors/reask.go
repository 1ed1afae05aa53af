package detectors

import (
	"slices"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Reask finds a draft that asks the user for what is already held: a name in
// both turn.asks and turn.known, the newest known where this turn has none.
//
// It speaks at every such turn; the same fields are the same cause, in any
// order. Asking for a field that is not held is what a draft is for. It has no
// parameters.
type Reask struct{}

// NewReask returns the detector.
func NewReask() Reask { return Reask{} }

// Validate reports nothing: there is nothing to set.
func (Reask) Validate() error { return nil }

// Detect implements Detector.
func (Reask) Detect(w state.View, e *events.Event) (Finding, bool) {
	if len(w.Cur.Asked) == 0 || e.Kind != events.TurnKind {
		return Finding{}, false
	}
	names := slices.Compact(slices.Sorted(slices.Values(w.Cur.Asked)))
	return Finding{
		Cause: causeOfName("reask", names...), Weight: Whole,
		Evidence: Evidence{
			Count: len(names), Since: w.Cur.Round, Events: trail(w.Cur.Ref),
			What:   "asks for " + countOf(len(names), "field") + " that the run already holds",
			Advice: "The answer is known already; asking again brings nothing new.",
		},
	}, true
}
