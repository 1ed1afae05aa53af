package detectors

import (
	"errors"
	"fmt"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Cycle finds a sequence of different calls that goes round.
type Cycle struct {
	Shortest int    `yaml:"shortest" bound:"2..8" doc:"fewest calls of a cycle"`
	Longest  int    `yaml:"longest" bound:"2..8" doc:"most calls of a cycle"`
	Laps     int    `yaml:"laps" bound:"2..8" doc:"complete laps, the first included, at which to speak; longest times laps is at most 64"`
	On       string `yaml:"on" bound:"call|result" doc:"whether equal calls make a lap, or rounds with equal calls and equal results"`
	PollGap  int    `yaml:"poll_gap_seconds" bound:"0..86400" doc:"seconds a lap must take for the cycle of a polling tool to be spaced polling; 0 for never. Only with on: result"`
}

// NewCycle returns the parameters of the default policy.
func NewCycle() Cycle { return Cycle{Shortest: 2, Longest: 8, Laps: 2, On: OnResult, PollGap: 20} }

// Validate reports every parameter out of bounds.
func (d Cycle) Validate() error {
	faults := []error{Check(d)}
	if d.Longest < d.Shortest {
		faults = append(faults, fmt.Errorf("longest: %d is below shortest, %d", d.Longest, d.Shortest))
	}
	return errors.Join(faults...)
}

// Detect implements Detector.
func (d Cycle) Detect(w state.View, e *events.Event) (Finding, bool) { return Finding{}, false }
