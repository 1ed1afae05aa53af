package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Reask finds a draft that asks the user for what is already held. It has no
// parameters.
type Reask struct{}

// NewReask returns the detector.
func NewReask() Reask { return Reask{} }

// Validate reports nothing: there is nothing to set.
func (Reask) Validate() error { return nil }

// Detect implements Detector.
func (Reask) Detect(w state.View, e *events.Event) (Finding, bool) { return Finding{}, false }
