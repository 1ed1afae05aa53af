package detectors

import (
	"errors"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Lineage finds attempts at one task that make the same call and fail the same
// way, one after the other: each begins afresh, and none learns from the last.
//
// A failure counts once until another attempt has it. Runs spawned by another
// run are no attempts.
type Lineage struct {
	Attempts int `yaml:"attempts" bound:"2..1000" doc:"attempt with the same failure at which to speak"`
	HaltAt   int `yaml:"halt_at" bound:"2..1000" doc:"attempt with the same failure at which to halt"`
}

// NewLineage returns the parameters of the default policy.
func NewLineage() Lineage { return Lineage{Attempts: 3, HaltAt: 6} }

// Validate reports every parameter out of bounds.
func (d Lineage) Validate() error {
	faults := []error{Check(d)}
	if d.HaltAt < d.Attempts {
		faults = append(faults, errors.New("halt_at: is below attempts"))
	}
	return errors.Join(faults...)
}

// Detect implements Detector.
func (d Lineage) Detect(w state.View, e *events.Event) (Finding, bool) {
	s := &w.Cur.Step
	if e.Kind != events.ToolResult || s.Call.IsZero() || !s.Error || w.Task == nil || !w.Root() {
		return Finding{}, false
	}
	h := state.FailureOf(s)
	a := w.Task.Failed.Get(h)
	if a == nil || a.Count < d.Attempts {
		return Finding{}, false
	}
	act := Warn
	if a.Count >= d.HaltAt {
		act = Stop
	}
	return Finding{
		Cause: causeOf(h, hashOfName("lineage")), Weight: Whole, Act: act,
		Evidence: Evidence{
			Tool: toolOf(w, e), Hash: s.Tool, Count: a.Count, Since: s.Round,
			Events: trail(a.First, s.Call, w.Cur.Ref), Calls: []state.Ref{s.Call}, Answer: w.Cur.Ref,
			What:   "has failed the same way in " + countOf(a.Count, "attempt") + " at this task",
			Advice: "Earlier attempts met the same failure; this one needs another way, or what they lacked.",
		},
	}, true
}
