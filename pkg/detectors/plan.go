package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Plan finds a turn's text that is stated again word for word while nothing
// takes effect: the same plan, or the same question.
//
// After a call that may have changed something, or that brought an answer never
// seen in the run before, it is half an occurrence: work goes on under the same
// words. After an effective change or a user message the count begins anew.
// Short texts are set phrases.
type Plan struct {
	Times int `yaml:"times" bound:"2..1000" doc:"occurrence of the same text at which to speak"`
	Words int `yaml:"words" bound:"1..1000" doc:"words a text must have at least"`
}

// NewPlan returns the parameters of the default policy.
func NewPlan() Plan { return Plan{Times: 3, Words: 12} }

// Validate reports every parameter out of bounds.
func (d Plan) Validate() error { return Check(d) }

// Detect implements Detector.
func (d Plan) Detect(w state.View, e *events.Event) (Finding, bool) {
	p := &w.Cur.Plan
	if e.Kind != events.TurnKind || w.Cur.Text.Words < d.Words || p.Halves < 2*d.Times {
		return Finding{}, false
	}
	return Finding{
		Cause: causeOfName("plan"), Weight: Whole, Need: Whole, Slow: true, Ground: Words,
		Evidence: Evidence{
			Count: p.Halves / 2, Since: p.Since, Events: trail(p.First, w.Cur.Ref),
			What:   "has stated the same text word for word " + times(p.Halves/2) + "; nothing took effect in between",
			Advice: "Stating it again settles nothing; do what it says, or say what keeps it from being done.",
		},
	}, true
}
