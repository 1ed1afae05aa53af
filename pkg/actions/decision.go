package actions

import (
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Kind is the kind of a control message.
type Kind string

const (
	Inject   Kind = "inject_observation"
	HaltRun  Kind = "halt"
	Escalate Kind = "escalate"
)

// Reason names why a finding was acted on or withheld.
type Reason string

const (
	Acted      Reason = "acted"
	Shadow     Reason = "shadow"     // the detector's mode is shadow: logged, nothing done
	HeldOut    Reason = "holdout"    // the task belongs to the holdout: logged, nothing done
	Cooldown   Reason = "cooldown"   // an observation was given; not yet clear that it did not help
	Exempt     Reason = "exempt"     // the policy exempts the tool from the detector
	Spent      Reason = "budget"     // the run has had all the observations it may get
	Weak       Reason = "evidence"   // not enough evidence on this cause yet
	Superseded Reason = "superseded" // another finding of the same event says it better
	Finished   Reason = "finished"   // the ladder of the incident has no further rung
	Stopped    Reason = "halted"     // the run is halted already
)

// Decision is what becomes of one finding, or of an operator's act, for one
// run. It is complete but for the text of the events it names, which Render
// takes.
type Decision struct {
	ID       string // of the control message, set when Reason is Acted
	Target   state.RunID
	Agent    string
	Kind     Kind // set when Reason is Acted, Shadow or HeldOut
	Detector string
	Reason   Reason
	Incident string
	Rung     int
	Status   string // end status, of a halt and of the escalation beside it
	N        int    // number among the run's acted controls, from 1

	CauseID  string // id of the event that caused it
	Cause    state.Ref
	Seq      uint64 // the cause's seq and round
	Round    int
	TimeMS   int64 // stored time of the cause, or the deadline
	Evidence detectors.Evidence
	Options  []string // tools of the run that remain
	Facts    Facts
	Note     string    // an operator's words
	ReplayOf state.Ref // call whose first result is handed back, zero for none
	CallID   string    // call that is answered by a replay
	Log      bool      // belongs into the decision log; false for withheld repeats that only count
	First    bool      // the first acted decision of the run
}

// Facts are the figures of the run at the time of a decision.
type Facts struct {
	Turns, Calls int
	CostUSD      float64
	Unpriced     int // turns without a reported cost
	Tokens       int64
	WastedTurns  int     // rounds since the first evidence
	WastedUSD    float64 // of the reported cost, the share of those rounds
	ElapsedMS    int64
	Observations int
	Last         []LastCall // oldest first
	By           string     // operator
	From         string     // run whose halt caused this one
}

// LastCall is one of the newest calls of a run. Answer is zero where nothing
// came back, or only what was replayed.
type LastCall struct{ Call, Answer state.Ref }
