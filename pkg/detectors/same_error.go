package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// SameError finds the same class of error met again, whatever the arguments.
type SameError struct {
	SameTool int `yaml:"same_tool" bound:"2..1000" doc:"round at which the same error class of one tool speaks, counted since that tool's last success"`
	Siblings int `yaml:"siblings" bound:"2..1000" doc:"round at which the same error class over several tools speaks, with no success of any tool in between"`
}

// NewSameError returns the parameters of the default policy.
func NewSameError() SameError { return SameError{SameTool: 3, Siblings: 5} }

// Validate reports every parameter out of bounds.
func (d SameError) Validate() error { return Check(d) }

// Detect implements Detector.
func (d SameError) Detect(w state.View, e *events.Event) (Finding, bool) { return Finding{}, false }
