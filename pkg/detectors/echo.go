package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Echo finds a run that sends the same words to the same other run of its task
// again: agents that hand one question, or their thanks, round in a ring. Each
// member of the ring is found by itself, however many there are.
type Echo struct {
	Times int `yaml:"times" bound:"2..1000" doc:"message with the same words to the same run at which to speak"`
}

// NewEcho returns the parameters of the default policy.
func NewEcho() Echo { return Echo{Times: 3} }

// Validate reports every parameter out of bounds.
func (d Echo) Validate() error { return Check(d) }

// Detect implements Detector.
func (d Echo) Detect(w state.View, e *events.Event) (Finding, bool) {
	t := &w.Cur.Told
	if e.Kind != events.Said || t.Count < 2 {
		return Finding{}, false
	}
	return Finding{
		Cause: causeOf(t.Hash, hashOfName("echo")), Weight: Whole, Need: (d.Times - 1) * Whole,
		Evidence: Evidence{
			Count: t.Count, Since: t.Since, Events: trail(t.First, w.Cur.Ref),
			What:   "has sent the same words to the same run " + times(t.Count),
			Advice: "The other run has had that message; decide what follows from its answer, or end the exchange.",
		},
	}, true
}
