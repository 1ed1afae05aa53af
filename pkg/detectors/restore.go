package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Restore finds a target that is put back to an earlier state again and again
// within a short stretch: a checkout, an undo, a copy from a backup.
//
// Each of them is an effective change, so that no kind of repetition sees the
// loop. Restores that lie further apart are how careful work looks.
type Restore struct {
	Times  int `yaml:"times" bound:"2..8" doc:"restores of one target at which to speak"`
	Within int `yaml:"within" bound:"1..1000" doc:"calls from the first of them to the last"`
}

// NewRestore returns the parameters of the default policy.
func NewRestore() Restore { return Restore{Times: 3, Within: 10} }

// Validate reports every parameter out of bounds.
func (d Restore) Validate() error { return Check(d) }

// Detect implements Detector.
func (d Restore) Detect(w state.View, e *events.Event) (Finding, bool) {
	s, target := &w.Cur.Step, w.Cur.Call.Restore
	x := w.Window.Memo.Restores.Get(target)
	if e.Kind != events.ToolResult || s.Call.IsZero() || !w.Cur.Restored || x == nil {
		return Finding{}, false
	}
	first := d.Times - 1
	if x.At[first] == 0 || x.At[0]-x.At[first] > uint32(d.Within) {
		return Finding{}, false
	}
	return Finding{
		Cause: causeOf(target, hashOfName("restore")), Weight: Whole, Need: Whole, Slow: true,
		Evidence: Evidence{
			Tool: toolOf(w, e), Hash: s.Tool, Count: d.Times, Since: x.Round[first],
			Events: trail(append([]state.Ref{w.Cur.Ref}, x.Ref[:d.Times]...)...), Calls: []state.Ref{s.Call}, Answer: w.Cur.Ref,
			What:   "has put the same thing back " + times(d.Times) + " within " + countOf(int(x.At[0]-x.At[first])+1, "call"),
			Advice: "The same change is made and undone; a different one is needed, or none.",
		},
	}, true
}
