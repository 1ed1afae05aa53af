package detectors

import (
	"errors"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Words of the parameters count and on.
const (
	CountCalls  = "calls"
	CountRounds = "rounds"
	OnCall      = "call"
	OnResult    = "result"
)

// Repeat finds the same call made again.
type Repeat struct {
	Occurrence int    `yaml:"occurrence" bound:"2..1000" doc:"occurrence of the same call at which to speak"`
	Window     int    `yaml:"window" bound:"0..64" doc:"how many of the last calls are looked at; 0 for the whole run. Only with on: call"`
	Count      string `yaml:"count" bound:"calls|rounds" doc:"whether equal calls of one round count each, or once"`
	On         string `yaml:"on" bound:"call|result" doc:"whether a call is judged when it is issued, whatever came back before, or when the same result came back"`
	Unchanged  bool   `yaml:"unchanged" doc:"only repeats between which nothing changed count: no effective write, and a user message or new information in between halves the weight. Only with on: result"`
	PollGap    int    `yaml:"poll_gap_seconds" bound:"0..86400" doc:"seconds between two calls of a polling tool from which on the second is spaced polling, no repeat; 0 for never. Only with on: result"`
}

// NewRepeat returns the parameters of the default policy.
func NewRepeat() Repeat {
	return Repeat{Occurrence: 3, Count: CountRounds, On: OnResult, Unchanged: true, PollGap: 20}
}

// Validate reports every parameter out of bounds, and those that need another
// mode.
func (d Repeat) Validate() error {
	faults := []error{Check(d)}
	if d.On == OnCall && d.Unchanged {
		faults = append(faults, errors.New("unchanged: needs on: result"))
	}
	if d.On == OnResult && d.Window != 0 {
		faults = append(faults, errors.New("window: needs on: call"))
	}
	return errors.Join(faults...)
}

// Detect implements Detector.
func (d Repeat) Detect(w state.View, e *events.Event) (Finding, bool) { return Finding{}, false }
