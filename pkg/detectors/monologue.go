package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Monologue finds turns without any call in between that say the same: in the
// same words, or in much the same few words; and a text that ends in one phrase
// repeated back to back, as a model does that is stuck.
//
// A call ends the count, and so does a turn that says something else.
type Monologue struct {
	Same    int `yaml:"same" bound:"2..1000" doc:"turns in a row with the same words at which to speak"`
	Alike   int `yaml:"alike" bound:"1..1000" doc:"turns in a row much like one of the four before at which to speak"`
	Words   int `yaml:"words" bound:"1..1000" doc:"words the same text must have at least"`
	Stutter int `yaml:"stutter" bound:"4..64" doc:"words that one phrase repeated at the end of a text must come to, the phrase at least four times"`
}

// NewMonologue returns the parameters of the default policy.
func NewMonologue() Monologue { return Monologue{Same: 3, Alike: 4, Words: 4, Stutter: 12} }

// Validate reports every parameter out of bounds.
func (d Monologue) Validate() error { return Check(d) }

// Detect implements Detector.
func (d Monologue) Detect(w state.View, e *events.Event) (Finding, bool) {
	if e.Kind != events.TurnKind || w.Cur.Compacted {
		return Finding{}, false
	}
	t, text := &w.Window.Memo.Talk, &w.Cur.Text
	same := t.Same >= d.Same && text.Words >= d.Words
	if !same && t.Alike < d.Alike && text.Stutter < d.Stutter {
		return Finding{}, false
	}
	f := Finding{
		Cause: causeOfName("monologue"), Weight: Whole, Need: Whole, Slow: true, Ground: Talk,
		Evidence: Evidence{
			Since: t.Since, Events: trail(t.First, w.Cur.Ref),
			Advice: "Nothing is done by these turns; call a tool, or end the run.",
		},
	}
	x := &f.Evidence
	switch {
	case same:
		x.Count, x.What = t.Same, "has said the same words in "+countOf(t.Same, "turn")+" in a row without a call"
	case t.Alike >= d.Alike:
		x.Count, x.What = t.Alike+1, "has said much the same in "+countOf(t.Alike+1, "turn")+" in a row without a call"
	default:
		x.Count, x.Since, x.Events = 1, w.Cur.Round, trail(w.Cur.Ref)
		x.What = "ends in one phrase repeated over " + countOf(text.Stutter, "word")
	}
	return f, true
}
