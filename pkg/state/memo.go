package state

import (
	"strings"

	"github.com/loopwatch/loopwatch/internal/features"
)

// Sizes of what single detectors remember.
const (
	MaxFailures = 8  // failures in a row
	MaxFamiliar = 32 // steps judged by whether they showed anything new
	MaxSpots    = 8  // places at which one thing happened
	maxTallies  = 64
	maxPassages = 1024
	maxSaid     = 2048
	maxLines    = 2048
	maxTouched  = 512
	maxTalk     = 4
)

// Memo is what single kinds of repetition leave behind, each bounded. Entries
// longest untouched go first.
type Memo struct {
	Fails     Ring[Failure]  // failures of one tool in a row, no success of any in between
	Idle      Tally          // rounds in a row that brought only what they had brought in this epoch; its mark is Msgs
	Stuck     Table[Tally]   // by tool: equal answers in a row within one epoch
	Payloads  Table[Tally]   // by text written and its target
	Restores  Table[Spots]   // by target put back
	Checks    Table[Tally]   // by the words of a failing check: changes it outlived
	Touched   Seen           // lines that changes wrote or replaced
	Rewrites  uint32         // changes that touched again what one before had touched
	Familiar  Ring[bool]     // of the last rounds since an effective change, whether each showed only known lines
	Lines     Seen           // lines of results
	Said      Seen           // passages of others, and of the run's first turn
	Own       Table[Passage] // passages of the run itself
	Plans     Table[Plan]    // by the words of a turn
	Talk      Talk           // turns without a call
	Told      Table[Tally]   // by receiver and words: messages to other runs
	News      uint32         // first answers of calls that say something not said in the run before
	Compacted Tally          // compactions since something new was done
	Fenced    bool           // the newest turn left a code fence open
	Turns     uint32         // turns that said something, if only nothing
}

// Tally counts how often one thing came, in rounds.
type Tally struct {
	Hash  features.Hash // of what came
	Count int
	Round int    // of the newest
	Since int    // round of the first
	Mark  uint32 // Window.Epoch when it was counted last, where nothing else is said
	First Ref
}

// Failure is one failed step.
type Failure struct {
	Tool, Key, Result features.Hash
	Round             int
	Call              Ref
}

// Spots are the places at which something happened, the newest first.
type Spots struct {
	At    [MaxSpots]uint32 // Window.CallNo, 0 for none
	Round [MaxSpots]int
	Ref   [MaxSpots]Ref
}

// Passage is where the run used one passage of words.
type Passage struct {
	Turns [MaxSpots]uint32 // Memo.Turns, the newest first, 0 for none
	Since int              // round of the first use
	First Ref
}

// Plan is a turn's text that came before.
type Plan struct {
	Halves            int // occurrences, in halves: one after half a change, or something learned, counts half
	Epoch, Msgs, Soft uint32
	News              uint32 // Memo.News
	Since             int
	First             Ref
}

// Talk is what was said in turns in a row, as long as no call was made.
type Talk struct {
	Words  features.Hash         // of the newest turn
	Same   int                   // turns in a row with these words
	Alike  int                   // turns in a row much like one of the last four
	Recent Ring[[]features.Hash] // distinct words of the newest turns, nil for too many
	CallNo uint32                // Window.CallNo of these turns
	Since  int
	First  Ref
}

func newMemo() Memo {
	return Memo{
		Fails: Ring[Failure]{Limit: MaxFailures}, Familiar: Ring[bool]{Limit: MaxFamiliar},
		Stuck: Table[Tally]{Limit: 16}, Payloads: Table[Tally]{Limit: maxTallies},
		Restores: Table[Spots]{Limit: 16}, Checks: Table[Tally]{Limit: maxTallies},
		Touched: Seen{Limit: maxTouched},
		Lines:   Seen{Limit: maxLines}, Said: Seen{Limit: maxSaid}, Own: Table[Passage]{Limit: maxPassages},
		Told:  Table[Tally]{Limit: maxTallies},
		Plans: Table[Plan]{Limit: maxTallies}, Talk: Talk{Recent: Ring[[]features.Hash]{Limit: maxTalk}},
	}
}

// Forgive forgets what shows over many turns: the run has recovered from it.
func (m *Memo) Forgive() {
	m.Checks.Clear()
	m.Restores.Clear()
	m.Own.Clear()
}

// note counts an occurrence, once a round, and reports whether it did; one that
// is not the thing counted before begins anew.
func (t *Tally) note(h features.Hash, mark uint32, round int, ref Ref) bool {
	if t.Count == 0 || t.Hash != h || t.Mark != mark {
		*t = Tally{Hash: h, Since: round, Mark: mark, First: ref}
	}
	counted := t.Count == 0 || round > t.Round
	if counted {
		t.Count++
	}
	t.Round = max(t.Round, round)
	return counted
}

// add notes one more place, one for each round, and reports whether it did.
func (s *Spots) add(at uint32, round int, ref Ref) bool {
	if s.At[0] != 0 && round <= s.Round[0] {
		return false
	}
	copy(s.At[1:], s.At[:])
	copy(s.Round[1:], s.Round[:])
	copy(s.Ref[1:], s.Ref[:])
	s.At[0], s.Round[0], s.Ref[0] = at, round, ref
	return true
}

// outside returns what a turn says outside a code fence that an earlier turn
// left open, up to one that it leaves open itself.
func (m *Memo) outside(text string) string {
	const fence = "```"
	if m.Fenced {
		_, rest, closed := strings.Cut(text, fence)
		if !closed {
			return ""
		}
		text = rest
	}
	if m.Fenced = strings.Count(text, fence)%2 == 1; m.Fenced {
		text = text[:strings.LastIndex(text, fence)]
	}
	return text
}
