package state

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// drawEvent returns an event of a run in which little happens that did not
// happen before.
func drawEvent(t *rapid.T, n uint64) events.Event {
	// One draw an event: rapid takes far longer to draw than the rest to run.
	dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "event"), n))
	few := func(words ...string) string { return words[dice.IntN(len(words))] }
	number := func(of ...int) int { return of[dice.IntN(len(of))] }
	e := events.Event{
		ID:  fmt.Sprint("event-", max(0, int(n)-number(0, 0, 0, 0, 1, 300))),
		Seq: n, StreamSeq: 3 * n, Time: dawn.Add(time.Duration(n) * time.Second), Stored: dawn.Add(time.Duration(n) * time.Second),
		Round: max(1, int(n)/4+number(0, 0, 0, 1, -1, -3)),
	}
	id := few("a", "b", "c")
	switch few("call", "call", "call", "answer", "answer", "answer", "fail", "turn", "said", "start", "end") {
	case "call":
		e.Kind, e.Call = events.ToolCall, &events.Call{ID: id, Tool: few("grep", "put", "sleep")}
		e.Call.Args = events.RawJSON(`{"q":"` + few("one", "two", "three", "four", "five", "six") + `"}`)
	case "answer":
		e.Kind, e.Result = events.ToolResult, &events.Result{CallID: id, Replayed: few("no", "no", "no", "yes") == "yes"}
		e.Result.Content = events.RawJSON(`"` + few("about one thing", "about another thing", "ok", "nothing at all here") + `"`)
		e.Result.Changed = []*bool{nil, nil, nil, &yes, &no}[dice.IntN(5)]
	case "fail":
		e.Kind, e.Result = events.ToolResult, &events.Result{CallID: id, Error: &events.Error{Message: few("not found", "rate limit", "broken")}}
	case "turn":
		e.Kind, e.Turn = events.TurnKind, &events.Turn{StateHash: few("", "s1", "s2"), Known: events.Names{"email"}, Asks: []string{"email"}}
	case "said":
		e.Kind, e.Message = events.Said, &events.Message{Role: "user", Text: "go on"}
	case "start":
		e.Kind, e.Start = events.RunStart, &events.Start{Tools: []events.Tool{{Name: "put", Effect: events.EffectWrite}}}
	case "end":
		e.Kind, e.End = events.RunEnd, &events.End{Status: events.Done}
	}
	return e
}

// A run that was stored and read again goes on as if it had stayed: whatever
// was applied before, and wherever it was interrupted.
func TestAStoredRunGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Applier{Features: features.New(features.Rules{})}
		stayed := NewRun(RunID{"default", "t", "r"}, "agent", rapid.IntRange(1, 8).Draw(t, "memory"))
		stored := NewRun(stayed.ID, stayed.Agent, stayed.Window.Keys.Limit)
		every := rapid.IntRange(1, 60).Draw(t, "every")
		for n := range uint64(rapid.SampledFrom([]int{9, 9, 60, 300}).Draw(t, "events")) {
			e := drawEvent(t, n+1)
			if a, b := a.Apply(stayed, &e), a.Apply(stored, &e); a != b {
				t.Fatalf("event %d is %d, once stored %d", n, a, b)
			}
			if !reflect.DeepEqual(stayed.Cur, stored.Cur) { // far faster than cmp, but none is not empty
				if diff := cmp.Diff(stayed.Cur, stored.Cur, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("event %d (-stayed +stored):\n%s", n, diff)
				}
			}
			if n%uint64(every) == 0 {
				stored = throughTheStore(t, stored)
			}
		}
		if one, two := dump(throughTheStore(t, stayed)), dump(throughTheStore(t, stored)); one != two {
			t.Fatalf("at the end (-stayed +stored):\n%s", cmp.Diff(one, two))
		}
	})
}

func throughTheStore(t *rapid.T, r *Run) *Run {
	b := AppendRun(nil, r)
	got, err := DecodeRun(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, AppendRun(nil, got)) {
		t.Fatal("what was read is written in other bytes")
	}
	return got
}

// Records are appended to what is there, and leave it alone.
func TestRecordsAreAppended(t *testing.T) {
	front := []byte("front")
	r, task, meta := busyRun(3), family([2]string{"root", ""}), Meta{ClockMS: 7}
	for name, got := range map[string][2][]byte{
		"run":  {AppendRun(front, r), AppendRun(nil, r)},
		"task": {AppendTask(front, task), AppendTask(nil, task)},
		"meta": {AppendMeta(front, &meta), AppendMeta(nil, &meta)},
	} {
		if want := append([]byte("front"), got[1]...); !bytes.Equal(got[0], want) {
			t.Errorf("%s: appended %x, want %x", name, got[0], want)
		}
	}
}

// What was read does not change with the bytes it was read from.
func TestARunDoesNotAliasItsBytes(t *testing.T) {
	b := AppendRun(nil, fill[Run](newFiller(t, 9, 2)))
	r, err := DecodeRun(b)
	if err != nil {
		t.Fatal(err)
	}
	before := dump(r)
	clear(b)
	if after := dump(r); before != after {
		t.Errorf("it changed (-before +after):\n%s", cmp.Diff(before, after))
	}
}
