package state

import (
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// RunID names a run within the fleet.
type RunID struct{ Tenant, Task, Run string }

// TaskID returns the task the run works on.
func (id RunID) TaskID() TaskID { return TaskID{Tenant: id.Tenant, Task: id.Task} }

// Phase is where a run is in its life.
type Phase uint8

const (
	Live  Phase = iota // events arrive
	Ended              // its worker said run_end
	Lost               // no event for the idle time
)

// String returns the phase as the command line prints it.
func (p Phase) String() string { return [...]string{"live", "ended", "lost"}[p] }

// Run is everything remembered of one run. It is changed by Apply and by the
// ledger's owner, never by a clock.
type Run struct {
	ID     RunID
	Agent  string
	Parent string // run id of the run that spawned it, empty for a root
	Model  string

	Phase   Phase
	EndedAs events.Status // set when Phase is Ended
	Opened  uint32        // how often the run was opened
	Attempt int

	Tools   []Tool // declared first, then those seen, at most MaxTools
	Limits  events.Limits
	Granted events.Limits // what operators added to the budget

	Seq      Sequence
	Clock    Clock
	Usage    Usage
	StoredMS int64  // stored time of the newest event, milliseconds since 1970
	SilentMS int64  // stored time up to which detectors of time were asked
	DueMS    int64  // indexed deadline, 0 for none; see Partition.Schedule
	LastID   []byte // id of the newest event, which a decision of time carries; its memory is used again
	LastRef  Ref
	LastSeq  uint64

	Window Window
	Ledger Ledger

	// Cur describes the event applied last; it is not stored.
	Cur Current

	touched bool  // waits to be written; see Partition.Touch
	counted place // how it stands in the census
}

// MaxTools bounds the tools remembered of a run; more are counted, not named.
const MaxTools = 64

// Tool is a tool of the run: declared by its run_start, or seen in a call.
type Tool struct {
	Name     string
	Hash     features.Hash // as Tool in the features of its calls
	Effect   features.Effect
	Polls    bool
	Declared bool // named by the run_start, not only seen in a call
}

// NewRun returns an empty live run whose window remembers at most memory
// distinct calls.
func NewRun(id RunID, agent string, memory int) *Run {
	return &Run{ID: id, Agent: agent, Window: NewWindow(memory), Ledger: NewLedger()}
}

// Root reports whether no other run spawned this one.
func (r *Run) Root() bool { return r.Parent == "" }

// Tool returns the remembered tool of that name hash, nil where there is none.
func (r *Run) Tool(h features.Hash) *Tool {
	for i := range r.Tools {
		if r.Tools[i].Hash == h {
			return &r.Tools[i]
		}
	}
	return nil
}

// Usage is what a run has consumed so far.
type Usage struct {
	Turns        int // rounds seen, with or without a turn event
	Calls        int
	CostUSD      float64 // reported only
	Unpriced     int     // rounds whose cost is not reported
	InputTokens  int64
	OutputTokens int64
	FirstInput   int64 // input tokens of the first turn that reported them
	LastInput    int64 // and of the last
}

// Tokens returns input and output tokens together.
func (u Usage) Tokens() int64 { return u.InputTokens + u.OutputTokens }

// Clock is the run's own time: it advances by the differences of its workers'
// event times, each step limited to the range 0 to 1 h, and is never compared
// with stored time.
type Clock struct {
	Elapsed int64 // milliseconds since the run's first event
	Last    int64 // worker time of the newest event, milliseconds since 1970; 0 before the first
}

// advance moves the clock to the worker time t.
func (c *Clock) advance(t int64) {
	const limit = 3_600_000
	if c.Last != 0 {
		c.Elapsed += min(max(t-c.Last, 0), limit)
	}
	c.Last = t
}
