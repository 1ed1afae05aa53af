package events

import "time"

// Version is the only event version this code reads. A higher one is rejected
// with ReasonVersion rather than guessed at.
const Version = 1

// Event is one thing that happened to one run, as its worker reported it, or
// one of our own events on a partition. Exactly one body pointer is set, the
// one that Kind names (none for a tick). Strings and RawJSON of a decoded event
// do not alias the input; a tick, an operator's act and a policy change carry
// no identity, seq, round or origin.
type Event struct {
	V      int       `json:"v"`
	ID     string    `json:"id"` // unique, at least 128 random bits in production; also the Nats-Msg-Id
	Kind   Kind      `json:"kind"`
	Tenant string    `json:"tenant,omitempty"` // who pays and who may see
	Agent  string    `json:"agent,omitempty"`  // the kind of worker
	Task   string    `json:"task,omitempty"`   // the unit of work, shared by its retries and sub-agents
	Run    string    `json:"run,omitempty"`    // one execution of an agent on a task, unique within its tenant
	Parent string    `json:"parent,omitempty"` // run that spawned this one; empty means a root
	Seq    uint64    `json:"seq,omitzero"`     // per run, from 1, set by the worker; 0 only on a run_start that does not know its place
	Time   time.Time `json:"time"`             // worker's clock
	Stored time.Time `json:"stored,omitzero"`  // when the stream stored it, in traces; absent means equal to time
	Round  int       `json:"round,omitzero"`   // number of the model response, from 1; 0 where the kind has none
	Origin Origin    `json:"origin,omitempty"` // who caused it; what loopwatch injected is never counted

	Start    *Start    `json:"start,omitzero"`
	Turn     *Turn     `json:"turn,omitzero"`
	Call     *Call     `json:"call,omitzero"`
	Result   *Result   `json:"result,omitzero"`
	Message  *Message  `json:"message,omitzero"`
	End      *End      `json:"end,omitzero"`
	Ack      *Ack      `json:"ack,omitzero"`
	Operator *Operator `json:"operator,omitzero"`
	Policy   *Policy   `json:"policy,omitzero"`

	// StreamSeq and Partition are the event's place in its stream. A dump
	// carries them; workers never set them, and a live reader overwrites them.
	StreamSeq uint64 `json:"stream_seq,omitzero"`
	Partition *int   `json:"partition,omitzero"`
}

// Start opens a run, or re-attaches to a live one; it never resets anything.
type Start struct {
	Attempt int    `json:"attempt,omitzero"` // at the task, from 1; 0 means unknown
	Model   string `json:"model,omitempty"`
	Tools   []Tool `json:"tools,omitempty"` // what the run may call
	Limits  Limits `json:"limits,omitzero"`
	Goal    string `json:"goal,omitempty"` // what was asked for
}

// Effect says what a tool does to the world.
type Effect string

const (
	EffectUnknown Effect = "unknown"
	EffectRead    Effect = "read"
	EffectWrite   Effect = "write"
)

func (e Effect) known() bool {
	return e == "" || e == EffectUnknown || e == EffectRead || e == EffectWrite
}

// Tool is one tool the run may call.
type Tool struct {
	Name   string `json:"name"`
	Effect Effect `json:"effect,omitempty"` // empty means unknown
	Polls  bool   `json:"polls,omitzero"`   // calling it again and again is its use
}

// Limits bound a run; zero means no bound.
type Limits struct {
	MaxTurns       int     `json:"max_turns,omitzero"`
	MaxCostUSD     float64 `json:"max_cost_usd,omitzero"`
	MaxWallClockMS int64   `json:"max_wall_clock_ms,omitzero"`
	MaxTokens      int64   `json:"max_tokens,omitzero"`
}

// Turn is one model response.
type Turn struct {
	Text           string   `json:"text,omitempty"`
	Model          string   `json:"model,omitempty"`
	Usage          *Usage   `json:"usage,omitzero"`
	CostUSD        *float64 `json:"cost_usd,omitzero"`        // nil means unknown, which is not zero
	State          RawJSON  `json:"state,omitzero"`           // the run's structured record, any JSON
	StateHash      string   `json:"state_hash,omitempty"`     // stands for state where that is not sent
	StepsCompleted *int     `json:"steps_completed,omitzero"` // finished plan steps so far; growth is progress
	Asks           []string `json:"asks,omitempty"`           // fields the draft asks the user for
	Known          Names    `json:"known,omitempty"`          // fields already held: an object with their values, or an array of their names
	Compacted      bool     `json:"compacted,omitzero"`       // the context was cut or summarised before this response
}

// Usage counts tokens of one turn.
type Usage struct {
	InputTokens  int64 `json:"input_tokens,omitzero"`
	OutputTokens int64 `json:"output_tokens,omitzero"`
	CachedTokens int64 `json:"cached_tokens,omitzero"`
}

// Call is one tool call as the model issued it, executed or not.
type Call struct {
	ID        string  `json:"id"` // unique within its round, 1–256 bytes
	Tool      string  `json:"tool"`
	Args      RawJSON `json:"args,omitzero"`       // any JSON
	RawArgs   string  `json:"raw_args,omitempty"`  // argument text where the model produced no valid JSON
	TimeoutMS int64   `json:"timeout_ms,omitzero"` // how long the worker waits for the result; 0 means unknown
}

// Result is what came back for a call.
type Result struct {
	CallID     string  `json:"call_id"`
	Tool       string  `json:"tool,omitempty"`        // empty where the worker leaves it to the call of that id
	Content    RawJSON `json:"content,omitzero"`      // any JSON
	ContentSHA string  `json:"content_sha,omitempty"` // identifies the whole where Truncated
	Truncated  bool    `json:"truncated,omitzero"`
	Error      *Error  `json:"error,omitzero"`   // nil means the call succeeded
	Changed    *bool   `json:"changed,omitzero"` // nil where the tool does not know whether the world changed
	DurationMS int64   `json:"duration_ms,omitzero"`
	Replayed   bool    `json:"replayed,omitzero"` // our cached answer: neither counts nor resets
}

// Error is a failed result.
type Error struct {
	Message   string `json:"message,omitempty"`
	Code      string `json:"code,omitempty"` // a JSON number on the wire is taken as its text
	Retryable bool   `json:"retryable,omitzero"`
}

// Message is text to the user, from the user, or to another run.
type Message struct {
	Role string `json:"role"`
	To   string `json:"to,omitempty"` // run it is for; empty where it is between agent and user
	Text string `json:"text,omitempty"`
}

// Status is how a run ended.
type Status string

const (
	Done      Status = "done"
	Blocked   Status = "blocked" // the correct end of an impossible task
	Failed    Status = "failed"
	Halted    Status = "halted"
	Stuck     Status = "stuck"
	Cancelled Status = "cancelled"
)

func (s Status) known() bool {
	switch s {
	case Done, Blocked, Failed, Halted, Stuck, Cancelled:
		return true
	}
	return false
}

// End closes a run; afterwards it accepts only a run_start.
type End struct {
	Status  Status   `json:"status"`
	Reason  string   `json:"reason,omitempty"`
	Blocked *Blocker `json:"blocked,omitzero"`
}

// Blocker is what an agent reports when it gives up properly.
type Blocker struct {
	Attempted []string `json:"attempted,omitempty"`
	Blocker   string   `json:"blocker,omitempty"`
	Needs     string   `json:"needs,omitempty"`
}

// Outcome says what a worker did with a control message.
type Outcome string

const (
	Applied  Outcome = "applied"
	Ignored  Outcome = "ignored"
	Expired  Outcome = "expired"
	Rejected Outcome = "rejected"
	NotDone  Outcome = "failed"
)

func (o Outcome) known() bool {
	switch o {
	case Applied, Ignored, Expired, Rejected, NotDone:
		return true
	}
	return false
}

// Ack answers one control message.
type Ack struct {
	Control string  `json:"control"`
	Outcome Outcome `json:"outcome"`
	Detail  string  `json:"detail,omitempty"`
}

// Operator is an operator's act: halt or resume. An absent scope field means all.
type Operator struct {
	Action string `json:"action"` // halt or resume
	Scope  Scope  `json:"scope"`
	For    string `json:"for,omitempty"` // how long a halt lasts, as a Go duration; empty means until resumed
	Add    Limits `json:"add,omitzero"`  // raises a budget
	Note   string `json:"note,omitempty"`
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`
	Sig    string `json:"sig,omitempty"` // ed25519 over loopwatch-op-v1 and the canonical body without sig
}

// Scope selects runs; an empty field matches all.
type Scope struct {
	Tenant string `json:"tenant,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Task   string `json:"task,omitempty"`
	Run    string `json:"run,omitempty"`
}

// Policy puts a policy in force on the partition from this event on.
type Policy struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
	YAML   string `json:"yaml"`
}
