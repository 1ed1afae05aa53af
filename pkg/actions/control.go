package actions

import "time"

// Version of control messages and verdicts that this code writes and reads.
const Version = 1

// Control is one control message: what a worker is told, or, as an escalation,
// what people are told. It is a pure function of its decision, the policy and
// the events it quotes, so it is the same bytes on every instance and in every
// replay. Slices are never nil once rendered.
type Control struct {
	V      int    `json:"v"`
	ID     string `json:"id"`
	Kind   Kind   `json:"kind"`
	Tenant string `json:"tenant"`
	Agent  string `json:"agent"`
	Task   string `json:"task"`
	Run    string `json:"run"`

	Time    time.Time `json:"time"`    // stored time of the cause, or the deadline it missed
	Expires time.Time `json:"expires"` // afterwards a worker acknowledges it as expired and does nothing

	Detector string `json:"detector"`
	Incident string `json:"incident"`
	Rung     int    `json:"rung"`
	Reason   Reason `json:"reason"` // always acted

	Observation *Observation `json:"observation"`       // of an inject_observation, nil otherwise
	Variant     Variant      `json:"variant,omitempty"` // wording of the observation, where the policy chooses one: a or b; empty means a
	Replay      *Replayed    `json:"replay"`            // nil where no call is answered from an earlier result
	Evidence    Proof        `json:"evidence"`
	Summary     string       `json:"summary"`
	EndStatus   *string      `json:"end_status"` // of a halt: the status for the worker's run_end; nil otherwise
	Policy      string       `json:"policy"`     // name@first eight hex digits of its digest
	N           int          `json:"n"`          // number among the run's controls, from 1

	Cause
}

// Cause is the event that a control or a record answers, and its place.
type Cause struct {
	Event string   `json:"event"` // its id
	Seq   uint64   `json:"seq"`   // its number within the run it belongs to
	Round int      `json:"round"` // 0 where its kind has none
	At    Position `json:"at"`
}

// Position orders everything a partition ever decided: the stream sequence of
// the cause, then the place among the decisions on that event.
type Position struct {
	Stream int64  `json:"stream"` // creation time of the event stream in ms, 0 outside the bus; set by whoever logs
	Seq    uint64 `json:"seq"`
	I      int    `json:"i"` // from 0, set by whoever logs the decision
}

// Before reports whether p comes before q.
func (p Position) Before(q Position) bool {
	return p.Seq < q.Seq || p.Seq == q.Seq && p.I < q.I
}

// Observation is a message for the model's next call.
type Observation struct {
	Role    string `json:"role"` // system
	Content string `json:"content"`
}

// Replayed names a call that is not executed and the call whose first result
// answers it.
type Replayed struct {
	CallID   string `json:"call_id"`
	OfCallID string `json:"of_call_id"`
}

// Proof is what a decision rests on, by event ids and stream positions, the
// first evidence first and the cause last.
type Proof struct {
	Tool       string   `json:"tool,omitempty"`
	Count      int      `json:"count"`
	Events     []string `json:"events"`      // ids as far as they are known; a withheld decision may know its cause alone
	StreamSeqs []uint64 `json:"stream_seqs"` // 0 is left out: a hand-made trace has none
	SinceRound int      `json:"since_round"`
}

// Expired reports whether the control may no longer be acted on at t.
func (c *Control) Expired(t time.Time) bool { return t.After(c.Expires) }
