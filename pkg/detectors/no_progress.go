package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// NoProgress finds turns in a row that leave the run's structured record as it
// was.
type NoProgress struct {
	Turns int `yaml:"turns" bound:"2..1000" doc:"turns in a row with the same state, the first included, at which to speak"`
}

// NewNoProgress returns the parameters of the default policy.
func NewNoProgress() NoProgress { return NoProgress{Turns: 3} }

// Validate reports every parameter out of bounds.
func (d NoProgress) Validate() error { return Check(d) }

// Detect implements Detector.
func (d NoProgress) Detect(w state.View, e *events.Event) (Finding, bool) { return Finding{}, false }
