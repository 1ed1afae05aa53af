package events

import (
	"cmp"
	"math"
	"strconv"
	"time"
)

// Bounds of what an event may say. Numbers stay exact in every language that
// keeps them as doubles.
const (
	MaxNumber = 1<<53 - 1     // seq, tokens, milliseconds
	MaxRound  = math.MaxInt32 // round, attempt, turns, steps
	MaxAmount = 1e9           // US dollars
	MaxID     = 256           // bytes of an event id, a call id and the name of a tool
)

// The years an event may be dated in: their nanoseconds fit an int64.
const firstYear, lastYear = 1700, 2260

// Validate returns nil, or the *Reject that Decode would give for the event: a
// worker checks with it what it is about to publish. Defaults must be filled.
func (e Event) Validate() error {
	if rej := e.validate(); rej != nil {
		return rej
	}
	return nil
}

func (e *Event) validate() *Reject {
	if e.V != Version {
		return wrongVersion()
	}
	if !e.Kind.Known() {
		return unknownKind()
	}
	rej := cmp.Or(checkID("id", e.ID), checkTime("time", e.Time), e.checkPlace())
	if rej != nil {
		return rej
	}
	if !e.Kind.Ours() {
		if rej := cmp.Or(e.checkIdentity(), e.checkOrder()); rej != nil {
			return rej
		}
	}
	return e.checkBody()
}

// checkPlace checks what a dump adds to an event.
func (e *Event) checkPlace() *Reject {
	if e.Partition != nil && (*e.Partition < 0 || *e.Partition >= MaxPartitions) {
		return bad("partition", "want 0 to "+strconv.Itoa(MaxPartitions-1))
	}
	if e.Stored.IsZero() {
		return nil
	}
	return checkTime("stored", e.Stored)
}

func (e *Event) checkIdentity() *Reject {
	if e.Run == "" {
		return missing("run")
	}
	if e.Parent != "" {
		if rej := checkName("parent", e.Parent); rej != nil {
			return rej
		}
		if e.Parent == e.Run {
			return bad("parent", "a run cannot be its own parent")
		}
	}
	return cmp.Or(checkName("run", e.Run), checkName("task", e.Task),
		checkName("tenant", e.Tenant), checkName("agent", e.Agent))
}

func (e *Event) checkOrder() *Reject {
	if e.Origin != "" && e.Origin != FromAgent && e.Origin != FromLoopwatch {
		return bad("origin", "want agent or loopwatch")
	}
	if e.Seq == 0 && e.Kind != RunStart {
		return bad("seq", "want 1 or more; 0 is for a run_start that does not know its place")
	}
	if e.Seq > MaxNumber {
		return bad("seq", "want at most "+strconv.Itoa(MaxNumber))
	}
	if e.Kind.InRound() && (e.Round < 1 || e.Round > MaxRound) {
		return badRound()
	}
	return nil
}

func badRound() *Reject { return bad("round", "want 1 to "+strconv.Itoa(MaxRound)) }

func checkTime(field string, t time.Time) *Reject {
	if t.IsZero() {
		return missing(field)
	}
	if y := t.Year(); y < firstYear || y > lastYear {
		return reject(ReasonBadTime, field, "want a year from "+strconv.Itoa(firstYear)+" to "+strconv.Itoa(lastYear))
	}
	return nil
}

// checkID accepts what can travel in a header and stand in a log as one word.
func checkID(field, id string) *Reject {
	if id == "" {
		return missing(field)
	}
	if len(id) > MaxID {
		return reject(ReasonBadName, field, "want at most "+strconv.Itoa(MaxID)+" bytes")
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] == 0x7f {
			return reject(ReasonBadName, field, "want no spaces and no control characters")
		}
	}
	return nil
}

func checkName(field, name string) *Reject {
	if ValidName(name) {
		return nil
	}
	return reject(ReasonBadName, field, "want 1 to 128 of A-Z a-z 0-9 = - _, not beginning with _")
}
