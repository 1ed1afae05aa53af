package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Stagnation finds turns in a row that neither change anything nor learn
// anything.
type Stagnation struct {
	Turns int `yaml:"turns" bound:"2..1000" doc:"turns in a row without side effect and without a result not seen in the run before, at which to speak"`
}

// NewStagnation returns the parameters of the default policy.
func NewStagnation() Stagnation { return Stagnation{Turns: 5} }

// Validate reports every parameter out of bounds.
func (d Stagnation) Validate() error { return Check(d) }

// Detect implements Detector.
func (d Stagnation) Detect(w state.View, e *events.Event) (Finding, bool) { return Finding{}, false }
