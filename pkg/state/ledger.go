package state

import "github.com/loopwatch/loopwatch/internal/features"

// Bounds of the ledger.
const (
	MaxIncidents = 16 // incidents remembered of a run, oldest forgotten first
	MaxUnacked   = 8  // controls awaiting an acknowledgement
	maxAccounts  = 64 // causes whose evidence is summed
	MaxDensity   = 32 // steps judged together at most
)

// Ledger is what was found and done about a run. Only the policy writes it.
type Ledger struct {
	Incidents    []Incident
	Accounts     Table[Account] // evidence by cause
	Density      Ring[uint8]    // weight of the last steps, in sixths of a futile one
	Observations int            // injected so far
	Controls     int            // acted controls so far
	Unacked      []Control
	Halt         Halt
	Withheld     uint64 // findings not acted on
	Fired        string // detector that acted first, empty for none
	ActedPast    bool   // the worker acted past its halt
	Lifted       uint64 // stream position of the act that resumed this run by name: no halt from before it holds the run
}

// Account is the evidence gathered on one cause.
type Account struct {
	Weight int // in sixths of a futile step
	First  Ref
	Round  int // round of the first evidence
}

// Incident is one loop and what was done about it, rung by rung.
type Incident struct {
	ID       string
	Detector string
	Cause    features.Hash
	Tool     features.Hash // tool whose repetition it is, 0 for none
	First    Ref           // first evidence event
	Since    int           // round of the first evidence
	Rung     int           // rungs taken so far
	After    int           // evidence since the last rung, in sixths of a futile step
	Hard     int           // evidence of acts, not of words, since it opened; in sixths
	CallNo   uint32        // Window.CallNo at the last rung
	Clean    int           // steps in a row without evidence
	Slow     bool          // shows over many turns: needs more evidence
	Words    bool          // opened by what was said, not by what was done
	Shadow   bool          // findings are logged, nothing is done
	Closed   bool          // the run recovered
	Held     bool          // its task is in the holdout: rungs are logged, nothing is done
	Reason   string        // reason logged last: the next one is logged when it differs
}

// Control is an acted control the worker has not acknowledged yet.
type Control struct {
	ID        string
	Kind      string
	ExpiresMS int64
	ResendMS  int64 // stored time at which it is sent again, 0 for never
	Resent    int
}

// NewLedger returns an empty ledger.
func NewLedger() Ledger {
	return Ledger{Accounts: Table[Account]{Limit: maxAccounts}, Density: Ring[uint8]{Limit: MaxDensity}}
}

// Open returns the newest incident that is open and matches, nil for none.
func (l *Ledger) Open(match func(*Incident) bool) *Incident {
	for i := len(l.Incidents) - 1; i >= 0; i-- {
		if in := &l.Incidents[i]; !in.Closed && match(in) {
			return in
		}
	}
	return nil
}

// Begin adds an incident. The pointer is valid until the next Begin.
func (l *Ledger) Begin(in Incident) *Incident {
	if len(l.Incidents) >= MaxIncidents {
		l.Incidents = append(l.Incidents[:0], l.Incidents[1:]...)
	}
	l.Incidents = append(l.Incidents, in)
	return &l.Incidents[len(l.Incidents)-1]
}

// Ack removes a control from the unacknowledged ones and reports whether it
// was there.
func (l *Ledger) Ack(id string) bool {
	for i, c := range l.Unacked {
		if c.ID == id {
			l.Unacked = append(l.Unacked[:i], l.Unacked[i+1:]...)
			return true
		}
	}
	return false
}
