package state

import (
	"slices"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Stage is where a run stands as people count runs: its phase, and what became
// of its halt. A run is in exactly one.
type Stage uint8

const (
	Unknown  Stage = iota // not a run of the partition
	Working               // live, not halted
	Halting               // live, and its worker has not acknowledged its halt
	Halted                // live, by an operator or with another run, acknowledged
	Awaiting              // halted for a finding of its own: a person is to resume it or to leave it
	Over                  // its worker said run_end
	Gone                  // lost
	stages
)

// String returns the stage as metrics name it.
func (s Stage) String() string {
	return [...]string{"unknown", "live", "halting", "halted", "awaiting", "ended", "lost"}[s]
}

// Stages lists every stage a run can be in.
func Stages() []Stage { return []Stage{Working, Halting, Halted, Awaiting, Over, Gone} }

// operator files the acts of people; see actions.
const operator = "operator"

// Stage returns where the run stands.
func (r *Run) Stage() Stage {
	h := r.Ledger.Halt
	unsaid := func(c Control) bool { return c.ID == h.Control }
	switch {
	case r.Phase == Live && h.Active() && slices.ContainsFunc(r.Ledger.Unacked, unsaid):
		return Halting
	case r.Escalated():
		return Awaiting
	case r.Phase == Lost:
		return Gone
	case r.Phase == Ended:
		return Over
	case h.Active():
		return Halted
	}
	return Working
}

// Escalated reports whether people were told of the run's halt and none of
// them has resumed it or said that it stays; one that ended all the same, with
// its work done or called off, waits for nobody.
func (r *Run) Escalated() bool {
	h := r.Ledger.Halt
	if r.Phase == Ended && (r.EndedAs == events.Done || r.EndedAs == events.Blocked || r.EndedAs == events.Cancelled) {
		return false
	}
	return h.Active() && h.Detector != operator && h.FromRun == "" && h.By == ""
}

// Census counts a partition's runs by stage. It is the fold of their last
// flushed states.
type Census struct {
	Runs      [stages]uint64
	Escalated uint64
	Counted   bool // false in what was stored before runs were counted
}

// place is how a run was counted last.
type place struct {
	stage     Stage
	escalated bool
}

func placeOf(r *Run) place { return place{r.Stage(), r.Escalated()} }

func (t *Census) move(from, to place) {
	t.take(from, ^uint64(0)) // minus one
	t.take(to, 1)
}

func (t *Census) take(p place, n uint64) {
	if p.stage != Unknown {
		t.Runs[p.stage] += n
	}
	if p.escalated {
		t.Escalated += n
	}
}

// recount counts the changed runs anew.
func (p *Partition) recount() {
	for _, r := range p.dirty.runs {
		now := placeOf(r)
		p.Meta.Census.move(r.counted, now)
		r.counted = now
	}
}

// census counts all runs of a store that has no count.
func (p *Partition) census() error {
	p.Meta.Census = Census{Counted: true}
	return p.EachRun(func(r *Run) bool {
		p.Meta.Census.move(place{}, placeOf(r))
		return true
	})
}
