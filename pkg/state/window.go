package state

import "github.com/loopwatch/loopwatch/internal/features"

// Sizes of the window. Memory, the number of distinct calls, is policy.
const (
	DefaultMemory = 256
	MaxSteps      = 64 // completed steps and issued calls looked back on
	MaxPending    = 64 // calls without a result
	MaxPeriod     = 8  // longest cycle told
	maxErrors     = 64
	maxKnown      = 64
)

// Window is the bounded memory of a run. A resumed run starts a fresh one.
type Window struct {
	Keys     Table[Key]     // distinct calls, by key
	Results  Table[Outcome] // distinct results, whatever tool brought them
	Errors   Table[Errors]  // error classes of one tool since its last success
	Sibling  Errors         // one error class over several tools
	Calls    Ring[Issued]   // calls as issued, executed or not
	Steps    Ring[Step]     // calls with their results
	Pending  Ring[Pending]  // calls without a result yet
	Cycles   Cycles         // laps over calls, one entry a call
	Laps     Cycles         // laps over rounds with their results
	Round    Round          // the round under way
	Quiet    Lull           // completed rounds without effect and without a new result
	Alone    Lull           // completed rounds in which nothing stirred, since the user spoke last
	Heard    Ref            // the user's newest message
	State    Streak         // hash of the run's structured record over turns
	Known    []string       // fields already held, as the last turn that named them said
	Memo     Memo           // what single kinds of repetition leave behind
	Epoch    uint32         // effective changes so far
	Soft     uint32         // half changes: new successes of unknown effect
	Msgs     uint32         // the user's messages so far, each half a change, too
	CallNo   uint32         // calls issued so far
	Answered int            // round of the newest result
	Waited   uint32         // CallNo at the last wait
	Finished int            // plan steps completed, as last reported
}

// NewWindow returns an empty window that remembers at most memory distinct
// calls and results; 0 means DefaultMemory.
func NewWindow(memory int) Window {
	if memory <= 0 {
		memory = DefaultMemory
	}
	return Window{
		Keys:    Table[Key]{Limit: memory},
		Results: Table[Outcome]{Limit: memory},
		Errors:  Table[Errors]{Limit: maxErrors},
		Calls:   Ring[Issued]{Limit: MaxSteps},
		Steps:   Ring[Step]{Limit: MaxSteps},
		Pending: Ring[Pending]{Limit: MaxPending},
		Memo:    newMemo(),
	}
}

// Fresh returns an empty window that goes on where this one is: later rounds
// are later. A call from before is forgotten, whatever still answers it.
func (w *Window) Fresh(memory int) Window {
	n := NewWindow(memory)
	n.Round, n.CallNo, n.Finished = w.Round, w.CallNo, w.Finished
	n.Round.Counted = true
	n.Memo.Turns = w.Memo.Turns
	return n
}

// drop gives up waiting for the open calls; what answers them still counts.
func (w *Window) drop() {
	for i := range w.Pending.Len() {
		w.Pending.Back(i).Dropped = true
	}
}

// Truncated reports whether distinct calls or results were forgotten, so that
// "never seen" and whole-run counts cannot be told exactly any more.
func (w *Window) Truncated() bool { return w.Keys.Evicted > 0 || w.Results.Evicted > 0 }

// Together reports whether the tool was asked different things in one round, as
// far as the last calls tell: none of them knew what the others would bring.
func (w *Window) Together(tool features.Hash, round int) bool {
	var first *Issued
	for i := range w.Calls.Len() {
		c := w.Calls.Back(i)
		switch {
		case c.Tool != tool || c.Round != round:
		case first == nil:
			first = c
		case c.Key != first.Key:
			return true
		}
	}
	return false
}

// Key is what is remembered of one distinct call.
type Key struct {
	Calls     uint32 // times issued, executed or not
	Rounds    uint32 // distinct rounds in which it was issued
	Same      uint32 // rounds in a row it brought Result, nothing effective in between
	Futile    uint32 // the same, or it failed again in other words
	Results   uint32 // results received, replayed ones not counted
	Round     int    // round of the newest issue
	Answered  int    // round of the newest result
	Result    features.Hash
	Epoch     uint32 // after Result took effect
	Soft      uint32 // after it
	Msgs      uint32 // user messages before it
	News      uint32 // Memo.News after it
	CallNo    uint32 // when Result came
	ElapsedMS int64  // run's clock at the newest answered call
	Failed    bool

	FirstRound  int // round of the first issue
	FutileRound int // round in which Futile began
	First       Ref // first issue
	FutileFrom  Ref // call with which Futile began
	FirstCall   Ref // call that FirstResult answered
	FirstResult Ref // first result that was not replayed
	Last        Ref // newest issue
	LastResult  Ref
}

// Outcome is what is remembered of one distinct result.
type Outcome struct {
	Tool  features.Hash // tool that brought it last
	Count uint32        // rounds in which that tool brought it
	Sole  uint32        // those of them, without the newest, in which the tool was asked nothing else; told of negative answers
	Round int
	Epoch uint32
	First Ref
	Args  []features.Hash // arguments of the newest call that brought it, beside which the tool was asked nothing else
}

// Errors is a count of one error class.
type Errors struct {
	Class features.Hash
	Count int // distinct rounds
	Round int
	Since int // round of the first
	Epoch uint32
	Tools []features.Hash // distinct, at most maxErrorTools
	First Ref
	Last  Ref
}

// Issued is one call as the model issued it.
type Issued struct {
	Key, Tool features.Hash
	Round     int
	Call      Ref
}

// Step is one call with its result. Replayed results make no step.
type Step struct {
	Key, Tool, Result, Class features.Hash
	Call, Answer             Ref
	Round                    int
	Epoch                    uint32 // before this step took effect
	Error, Novel, Changed    bool
}

// Pending is a call that has no result yet.
type Pending struct {
	ID        features.Hash // of the call id
	Call      features.Call
	Ref       Ref
	Round     int
	ElapsedMS int64 // run's clock
	StoredMS  int64 // stored time
	TimeoutMS int64 // declared, 0 for unknown
	Dropped   bool  // issued before the run was opened: nobody waits for it
}

// Streak counts turns in a row that carried the same hash.
type Streak struct {
	Hash  features.Hash
	Turns int
	Round int // of the first
	First Ref
}

// Lull counts completed rounds in a row in which nothing happened.
type Lull struct {
	Rounds int
	Round  int // number of the first
	First  Ref
}

// add counts a round, or begins anew where something happened.
func (l *Lull) add(r Round, happened bool) {
	switch {
	case happened:
		*l = Lull{}
		return
	case l.Rounds == 0:
		*l = Lull{Round: r.Number, First: r.First}
	}
	l.Rounds++
}

// Round is the round under way: it may still get calls and results.
type Round struct {
	Number  int
	Calls   int
	Answers int
	Keys    features.Hash // order-free combination of its calls
	Pairs   features.Hash // order-free combination of its calls with results
	Novel   bool          // a result hash not seen in the run before
	Changed bool          // a side effect
	First   Ref
	Counted bool // its completion was noted
	Untold  bool // and no detector was asked: the event that completed it does not count
	Weather bool // the infrastructure spoke
	Waited  bool // a wait or a sleep
	Stirred bool // an effective change, told or hinted, or a result not seen since the last one
	Priced  bool // its cost was reported
}

// Complete reports whether every call of the round has its result.
func (r Round) Complete() bool { return r.Calls > 0 && r.Answers >= r.Calls }

// neutral reports whether the infrastructure spoke and nothing happened beside
// it: such a round is neither quiet nor news.
func (r Round) neutral() bool { return r.Weather && !r.Novel && !r.Changed }
