package state

import (
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Current describes the event applied last and how it relates to what came
// before. Detectors read it; it is not stored.
type Current struct {
	Ref    Ref
	Kind   events.Kind
	Order  Order
	Round  int
	Counts bool // false for our own injections, replayed results and infrastructure weather

	Call     features.Call   // the call issued, or the one the result answers
	Result   features.Result // of a tool_result
	Text     features.Text   // of a turn or message
	Prior    Key             // what was known of the call before this event
	Outcome  Outcome         // what was known of the result before this event
	Error    Errors          // the error class of the result with its tool, this event included; zero where an earlier result of the round counted for it
	Sibling  Errors          // the same over several tools
	Step     Step            // the step this result completed
	Answered bool            // the result has a call that is known

	SameRound bool     // an earlier call (or result) of the same round was applied
	Completed bool     // a round was completed: by its last result, or because the event opened the next; not one in which nothing happened but weather
	Moved     bool     // a user message or new information came since the call's last result
	Stuck     Tally    // of the tool's equal answers, this one included; zero where it did not count
	Payload   Tally    // of the text written most often among those of the call; zero where an earlier call of the round wrote it
	Restored  bool     // the call's target was put back, the first time in its round
	Check     Tally    // of the failing check; zero where it failed in the same round before
	Told      Tally    // of the message to another run
	Plan      Plan     // of a turn's words
	Compacted bool     // the turn is a compaction
	Familiar  bool     // the result showed lines seen before and hardly another, and nothing took effect
	Lap       bool     // a round was completed, and it is the newest of Window.Laps
	Asked     []string // fields asked for although they are held
	NewTurn   bool     // the event opened a round
	CallSeq   uint64   // stream position of the call a result answers

	Replay, ReplayOf Ref // result to hand back instead of executing the call, and its call
}

// View is what a detector sees: the run with the event already applied, and
// its task. It must not be changed.
type View struct {
	*Run
	Task *Task
}
