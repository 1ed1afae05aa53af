package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Stagnation finds turns in a row that neither change anything nor learn
// anything. A side effect is one the tool reports, or an error-free call of a
// tool declared to write; something learned is a result not seen in the run
// before.
//
// It speaks at the turn's last result where that counts, or when the next turn
// opens, and at every further one. A turn of text alone is such a turn; one in
// which the infrastructure spoke and nothing else happened is neither here nor
// there. A result that comes late begins the count anew where it changed or
// taught something. Once memory has dropped a result it is silent: what looks
// new may not be.
//
// With patient, the effect may also be a hinted one, such as a command that
// writes; a result counts as learned again after an effective change; a user
// message or a wait begins the count anew, and a polling tool called with
// spacing is not accused.
type Stagnation struct {
	Turns   int  `yaml:"turns" bound:"2..1000" doc:"turns in a row without side effect and without a result not seen in the run before, at which to speak"`
	Patient bool `yaml:"patient" doc:"hinted effects count as effects, what was seen before the last of them counts as new, a user message or a wait begins the count anew, and spaced polling is not accused"`
	PollGap int  `yaml:"poll_gap_seconds" bound:"0..86400" doc:"seconds between two calls of a polling tool from which on it is spaced; 0 for never. Only with patient"`
}

// NewStagnation returns the parameters of the default policy.
func NewStagnation() Stagnation { return Stagnation{Turns: 5, Patient: true, PollGap: 20} }

// Validate reports every parameter out of bounds.
func (d Stagnation) Validate() error { return Check(d) }

// Detect implements Detector.
func (d Stagnation) Detect(w state.View, _ *events.Event) (Finding, bool) {
	lull := w.Window.Quiet
	if d.Patient {
		lull = w.Window.Alone
	}
	if !w.Cur.Completed || lull.Rounds < d.Turns || w.Window.Truncated() || d.Patient && spaced(w, d.PollGap) {
		return Finding{}, false
	}
	f := Finding{
		Cause: causeOfName("stagnation"), Weight: Whole, Slow: true,
		Evidence: Evidence{
			Count: lull.Rounds, Since: lull.Round, Events: trail(lull.First, w.Cur.Ref), Answer: w.Cur.Step.Answer,
			What:   "has taken " + countOf(lull.Rounds, "turn") + " in a row without any effect and without learning anything new",
			Advice: "Nothing that was tried in these turns changed anything or brought anything that was not known.",
		},
	}
	for i := min(w.Window.Calls.Len(), 3) - 1; i >= 0; i-- {
		if c := w.Window.Calls.Back(i); c.Round >= lull.Round {
			f.Evidence.Calls = append(f.Evidence.Calls, c.Call)
		}
	}
	return f, true
}
