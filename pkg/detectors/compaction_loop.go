package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// CompactionLoop finds turns whose context was cut or summarised, again and
// again, with nothing new done in between: the summaries do not fit either, or
// each loses what the run was about.
//
// A first success of a call, or an effective change, begins the count anew. It
// alone halts no run.
type CompactionLoop struct {
	Compactions int `yaml:"compactions" bound:"2..1000" doc:"compactions without a new success in between at which to speak"`
}

// NewCompactionLoop returns the parameters of the default policy.
func NewCompactionLoop() CompactionLoop { return CompactionLoop{Compactions: 3} }

// Validate reports every parameter out of bounds.
func (d CompactionLoop) Validate() error { return Check(d) }

// Detect implements Detector.
func (d CompactionLoop) Detect(w state.View, e *events.Event) (Finding, bool) {
	t := &w.Window.Memo.Compacted
	if e.Kind != events.TurnKind || !w.Cur.Compacted || t.Count < d.Compactions {
		return Finding{}, false
	}
	return Finding{
		Cause: causeOfName("compaction_loop"), Weight: Whole, Need: Whole, Slow: true, Ground: Words,
		Evidence: Evidence{
			Count: t.Count, Since: t.Since, Events: trail(t.First, w.Cur.Ref),
			What:   "has had its context compacted " + times(t.Count) + " without doing anything new in between",
			Advice: "Take one small step that can be completed, and write down what it brought.",
		},
	}, true
}
