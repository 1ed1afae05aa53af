package detectors

import (
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Detector recognises one kind of repetition. Its exported fields are its
// parameters; it has value receivers and no state.
type Detector interface {
	// Detect judges the run after the event was applied. It must not change
	// the view, and it returns false where its memory would have to reach
	// further back than the window does.
	Detect(w state.View, e *events.Event) (Finding, bool)
	// Validate reports every parameter out of bounds, joined; nil when all fit.
	Validate() error
}

// Spec describes a detector to the policy, the documentation and the command
// line.
type Spec struct {
	Name  string          // as in policies, metrics and decisions
	Doc   string          // one sentence: when it fires, and when it does not
	Wants []events.Kind   // events it is asked about
	Tree  bool            // asked about the root of a tree when a run below it begins, instead of about events of its own
	Text  bool            // weakened when events carry no text
	New   func() Detector // with the parameters of the default policy

	// Due makes it a detector of time: it is asked, with a tick, when the stored
	// time has come that Due returns, in milliseconds since 1970; 0 is never.
	// What it finds is stamped with that time, whenever the tick came.
	Due func(Detector, state.View) int64
}

// Whole is the weight of one futile step. Sixths of it let half a step, a third
// and two thirds be whole numbers.
const Whole = 6

// Finding is what a detector saw in one event.
type Finding struct {
	Detector string        // name of its Spec, set by whoever ran it
	Cause    features.Hash // what repeats: equal causes belong to one incident
	Weight   int           // evidence this event adds, in sixths of a futile step
	Need     int           // evidence on the cause at which to speak, in sixths; 0 speaks at once
	Slow     bool          // a kind that shows over many turns and needs more evidence before a halt
	Ground   Ground        // what it rests on
	Act      Act           // rung the detector itself asks for; ByLadder leaves it to the policy
	Replay   state.Ref     // result that may be handed back instead of executing the call, zero for none
	ReplayOf state.Ref     // the call which that result answered

	Evidence Evidence
}

// Ground is what evidence rests on.
type Ground uint8

const (
	Acts  Ground = iota // calls and what came back
	Words               // what was said beside calls; that alone ends no run
	Talk                // what was said in turns without any call
)

// Act is what a finding asks for.
type Act uint8

const (
	ByLadder Act = iota // the policy's ladder decides
	Warn                // at most an observation
	Inform              // at most an escalation
	Stop                // a halt at once
)

// Evidence says what a finding rests on, by position: the text is read from
// the stream when a decision quotes it.
type Evidence struct {
	Tool   string        // tool of the event, as the worker named it; empty for none
	Hash   features.Hash // and its hash
	Count  int           // occurrences so far
	Since  int           // round of the first of them
	Events []state.Ref   // the first evidence first, the event itself last; at most MaxEvents
	Calls  []state.Ref   // tool calls to quote, at most MaxPeriod
	Answer state.Ref     // tool result to quote, zero for none
	What   string        // our own words and numbers only: what was repeated, as a clause after the call's name
	Advice string        // our own words: why repeating does not help; empty for the general sentence
}

// MaxEvents bounds the events a finding names.
const MaxEvents = 8
