package detectors

import (
	"errors"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Spawn finds runs that spawn runs without bound. It is charged to the root of
// the tree, whose halt ends all that is below it.
//
// It speaks at a run of the given depth, a run that the root itself spawned
// having depth 1. It halts when a deeper one begins in a tree that has become
// large, or when the tree is larger than any.
type Spawn struct {
	Depth int `yaml:"depth" bound:"1..64" doc:"depth of a spawned run at which to speak; those of the root have depth 1"`
	Tree  int `yaml:"tree" bound:"1..100000" doc:"spawned runs of the task from which on a run that is deeper still halts the root"`
	Most  int `yaml:"most" bound:"1..100000" doc:"spawned runs of the task from which on every further one halts the root"`
}

// NewSpawn returns the parameters of the default policy.
func NewSpawn() Spawn { return Spawn{Depth: 4, Tree: 24, Most: 96} }

// Validate reports every parameter out of bounds.
func (d Spawn) Validate() error {
	faults := []error{Check(d)}
	if d.Most < d.Tree {
		faults = append(faults, errors.New("most: is below tree"))
	}
	return errors.Join(faults...)
}

// Detect implements Detector. The event is of the run that begins, the view of
// the root above it.
func (d Spawn) Detect(w state.View, e *events.Event) (Finding, bool) {
	if w.Task == nil || e.Run == w.ID.Run {
		return Finding{}, false
	}
	depth, tree := len(w.Task.Ancestors(e.Run)), w.Task.Spawned
	f := Finding{
		Cause: causeOfName("spawn"), Weight: Whole, Act: Warn,
		Evidence: Evidence{
			Count: tree, Since: w.Cur.Round, Events: trail(w.Cur.Ref),
			What:   "has had " + countOf(tree, "run") + " spawned below it, the newest " + countOf(depth, "level") + " deep",
			Advice: "Work that is handed on and on is not done; do it where it is.",
		},
	}
	switch {
	case depth > d.Depth && tree >= d.Tree, tree >= d.Most:
		f.Act = Stop
	case depth < d.Depth:
		return Finding{}, false
	}
	return f, true
}
