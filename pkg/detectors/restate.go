package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Restate finds a run that says the same thing over and over in its turns: a
// passage of eight words of its own, in several of the last turns, in whatever
// text around it.
//
// What messages, results or the run's first turn said is quoting. A user
// message begins the count anew. Words alone halt no run that acts.
type Restate struct {
	Turns int `yaml:"turns" bound:"2..8" doc:"turns with the same passage at which to speak"`
	Among int `yaml:"among" bound:"2..1000" doc:"turns from the first of them to the last"`
}

// NewRestate returns the parameters of the default policy.
func NewRestate() Restate { return Restate{Turns: 5, Among: 30} }

// Validate reports every parameter out of bounds.
func (d Restate) Validate() error { return Check(d) }

// Detect implements Detector.
func (d Restate) Detect(w state.View, e *events.Event) (Finding, bool) {
	if e.Kind != events.TurnKind || w.Cur.Compacted {
		return Finding{}, false
	}
	m := &w.Window.Memo
	for _, h := range w.Cur.Text.Passages {
		p := m.Own.Get(h)
		if p == nil || p.Turns[0] != m.Turns || p.Turns[d.Turns-1] == 0 || m.Turns-p.Turns[d.Turns-1] >= uint32(d.Among) {
			continue
		}
		return Finding{
			Cause: causeOfName("restate"), Weight: Whole, Need: Whole, Slow: true, Ground: Words,
			Evidence: Evidence{
				Count: d.Turns, Since: p.Since, Events: trail(p.First, w.Cur.Ref),
				What:   "has said the same thing in " + countOf(d.Turns, "turn") + " of the last " + countOf(int(m.Turns-p.Turns[d.Turns-1])+1, "turn"),
				Advice: "Saying it again settles nothing; do what it says, or say what keeps it from being done.",
			},
		}, true
	}
	return Finding{}, false
}
