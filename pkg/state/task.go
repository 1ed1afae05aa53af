package state

import (
	"slices"

	"github.com/loopwatch/loopwatch/internal/features"
)

// TaskID names a unit of work within the fleet.
type TaskID struct{ Tenant, Task string }

// Task is what all runs of one task share: retries and sub-agents meet here.
type Task struct {
	ID       TaskID
	Attempts int            // root runs seen
	Runs     []Member       // live and recent runs, oldest first, at most MaxMembers
	Spawned  int            // runs seen that another run spawned
	Dropped  int            // members forgotten beyond MaxMembers
	Failed   Table[Attempt] // by call and error class: failures that several attempts share
	touched  bool           // waits to be written; see Partition.TouchTask
	Tomb     Halt           // set when a root was halted: new runs are refused at hello
}

// Attempt is a failure and how many root runs of the task have had it.
type Attempt struct {
	Run   string // the newest of them
	Count int
	First Ref
}

// maxAttempts bounds the failures a task remembers.
const maxAttempts = 64

// Fail notes that the step just applied to a root run failed, and reports
// whether the task changed: a failure counts once until another run has it.
func (t *Task) Fail(r *Run) bool {
	s := &r.Cur.Step
	if s.Call.IsZero() || !s.Error || !r.Root() {
		return false
	}
	h := FailureOf(s)
	if a := t.Failed.Get(h); a != nil && a.Run == r.ID.Run {
		return false
	}
	t.Failed.Limit = maxAttempts
	a := t.Failed.Put(h)
	if a.Count == 0 {
		a.First = s.Call
	}
	a.Run = r.ID.Run
	a.Count++
	return true
}

// FailureOf names the failure of a step: the same call failing the same way.
func FailureOf(s *Step) features.Hash { return mix(s.Key) ^ s.Class | 1 }

// MaxMembers bounds the runs a task names; ended ones are forgotten first.
const MaxMembers = 256

// Member is one run of a task as its siblings need to know it.
type Member struct {
	Run, Parent, Agent string
	Over               bool // ended or lost
}

// Halt says that a run or a task must not go on, and why. The zero Halt stops
// nothing.
type Halt struct {
	Control   string // id of the halt control, empty for none
	Incident  string
	Detector  string
	Rung      int
	EndStatus string
	Reason    string // an operator's words, empty otherwise
	By        string // the operator
	Round     int    // round of the run when it was halted
	FromRun   string // run whose halt caused this one
	Cause     Ref    // event that caused it
	UntilMS   int64  // stored time at which it lapses, 0 for never
}

// Active reports whether the halt stops anything.
func (h Halt) Active() bool { return h.Control != "" }

// Member returns the entry of a run, nil where the task does not name it.
func (t *Task) Member(run string) *Member {
	for i := range t.Runs {
		if t.Runs[i].Run == run {
			return &t.Runs[i]
		}
	}
	return nil
}

// Join adds a run to the task, or finds it there.
func (t *Task) Join(run, parent, agent string) *Member {
	if m := t.Member(run); m != nil {
		return m
	}
	if len(t.Runs) >= MaxMembers {
		t.forget()
	}
	t.Runs = append(t.Runs, Member{Run: run, Parent: parent, Agent: agent})
	return &t.Runs[len(t.Runs)-1]
}

// Leave drops a run from the task; an unknown one is no error.
func (t *Task) Leave(run string) {
	for i := range t.Runs {
		if t.Runs[i].Run == run {
			t.Runs = append(t.Runs[:i], t.Runs[i+1:]...)
			return
		}
	}
}

// Ancestors returns the runs above run that the task still names, the nearest
// first.
func (t *Task) Ancestors(run string) []string {
	var out []string
	for m := t.Member(run); m != nil && m.Parent != "" && !slices.Contains(out, m.Parent) && m.Parent != run; m = t.Member(m.Parent) {
		out = append(out, m.Parent)
	}
	return out
}

// forget drops the oldest run that is over, or the oldest of all.
func (t *Task) forget() {
	at := 0
	for i := range t.Runs {
		if t.Runs[i].Over {
			at = i
			break
		}
	}
	t.Runs = append(t.Runs[:at], t.Runs[at+1:]...)
	t.Dropped++
}

// Descendants returns the runs below run that are not over, nearest first. A
// run has one parent, so the only cycle that can be met leads back to run.
func (t *Task) Descendants(run string) []Member {
	var out []Member
	for level := []string{run}; len(level) > 0; {
		var below []string
		for _, m := range t.Runs {
			if m.Run == run || !slices.Contains(level, m.Parent) {
				continue
			}
			below = append(below, m.Run)
			if !m.Over {
				out = append(out, m)
			}
		}
		level = below
	}
	return out
}
