package escalate

import (
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Standing is whether an escalation still waits for somebody.
type Standing int

const (
	Unknown Standing = iota // the partition is not ours, or has not applied the cause yet
	Open
	Closed // resumed, ended, answered, or forgotten
)

// ignored is the detector of a worker that acts past its halt.
const ignored = "halt_ignored"

// StandingOf judges an escalation by the state of its run. A run that was halted
// for a finding waits until somebody resumes it or says that it stays halted,
// its worker's own end as stuck or halted being what the halt demands; one
// that was not halted waits until it ends or its incident closes.
func StandingOf(p *state.Partition, e *Escalation) Standing {
	at := p.Meta.Checkpoint
	switch {
	case at.Seq == 0:
		return Unknown
	case at.CreatedNS/1e6 != e.Stream: // its events are gone
		return Closed
	case at.Seq < e.Seq:
		return Unknown
	}
	r := p.Run(state.RunID{Tenant: e.Tenant, Task: e.Task, Run: e.Run})
	switch {
	case r == nil || r.Ledger.Lifted > e.Seq:
		return Closed
	case e.Detector == ignored:
		return open(r.Ledger.Halt.Active() && r.Phase == state.Live)
	case r.Ledger.Halt.Active():
		return open(r.Escalated())
	}
	for i := range r.Ledger.Incidents {
		if in := &r.Ledger.Incidents[i]; in.ID == e.Incident {
			return open(!in.Closed && r.Phase == state.Live)
		}
	}
	return Closed // its ledger is fresh: it was resumed
}

func open(yes bool) Standing {
	if yes {
		return Open
	}
	return Closed
}
