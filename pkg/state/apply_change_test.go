package state

import (
	"fmt"
	"slices"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestEpochs(t *testing.T) {
	writes := events.Start{Tools: []events.Tool{{Name: "put", Effect: events.EffectWrite}, {Name: "get", Effect: events.EffectRead}}}
	reports := func(changed *bool, text string) events.Result {
		return events.Result{Content: events.RawJSON(fmt.Sprintf("%q", text)), Changed: changed}
	}
	tellAll(t, []tale{
		{"a declared write that succeeds is an effective change", func(s *story) {
			s.start(writes)
			s.step(1, "put", "x", "stored x")
			s.want("epoch", s.Window.Epoch, uint32(1))
			s.want("changed", s.Cur.Step.Changed, true)
		}},
		{"not when it brings what it brought before", func(s *story) {
			s.start(writes)
			s.step(1, "put", "x", "stored x")
			s.step(2, "put", "x", "stored x")
			s.want("epoch", s.Window.Epoch, uint32(1))
		}},
		{"not when it fails", func(s *story) {
			s.start(writes)
			s.call(1, "a", "put", "x")
			s.fail(1, "a", "the disk is full")
			s.want("epoch", s.Window.Epoch, uint32(0))
			s.want("changed", s.Cur.Step.Changed, false)
		}},
		{"not when the tool knows better", func(s *story) {
			s.start(writes)
			s.call(1, "a", "put", "x")
			s.result(1, "a", reports(&no, "stored x"))
			s.want("epoch", s.Window.Epoch, uint32(0))
			s.want("changed", s.Cur.Step.Changed, false)
		}},
		{"whatever the tool, when it says so", func(s *story) {
			s.start(writes)
			s.call(1, "a", "get", "x")
			s.result(1, "a", reports(&yes, "got x"))
			s.want("epoch", s.Window.Epoch, uint32(1))
		}},
		{"a declared read never is", func(s *story) {
			s.start(writes)
			s.step(1, "get", "x", "got x")
			s.want("epoch", s.Window.Epoch, uint32(0))
			s.want("soft", s.Window.Soft, uint32(0))
		}},
		{"a change in between begins a streak anew", func(s *story) {
			s.start(writes)
			s.step(1, "get", "x", "no such record there")
			s.step(2, "get", "x", "no such record there")
			s.want("same before", s.key("get", "x").Same, uint32(2))
			s.step(3, "put", "y", "stored y")
			s.step(4, "get", "x", "no such record there")
			s.want("same after", s.key("get", "x").Same, uint32(1))
			s.step(5, "get", "x", "no such record there")
			s.want("same later", s.key("get", "x").Same, uint32(2))
		}},
		{"a new success of unknown effect is half a change, once a call", func(s *story) {
			s.step(1, "frobnicate", "x", "did something to x")
			s.want("soft", s.Window.Soft, uint32(1))
			s.step(2, "frobnicate", "x", "did something else to x")
			s.want("soft", s.Window.Soft, uint32(1))
			s.want("epoch", s.Window.Epoch, uint32(0))
		}},
		{"a user's word is half a change, an agent's is none", func(s *story) {
			s.user("try the other one")
			s.want("messages", s.Window.Msgs, uint32(1))
			s.want("heard", s.Window.Heard, s.Cur.Ref)
			s.tell(events.Event{Kind: events.Said, Message: &events.Message{Role: "assistant", Text: "I will"}})
			s.want("messages", s.Window.Msgs, uint32(1))
			s.want("soft", s.Window.Soft, uint32(0))
		}},
	})
}

func TestErrorClasses(t *testing.T) {
	fail := func(s *story, round int, tool, arg, message string) {
		id := fmt.Sprint("c", round)
		s.call(round, id, tool, arg)
		s.fail(round, id, message)
	}
	tellAll(t, []tale{
		{"one class with other arguments is counted by rounds", func(s *story) {
			for round, id := range []string{"7", "8", "9"} {
				fail(s, round+1, "lookup", id, "order "+id+" not found")
			}
			s.want("count", s.Cur.Error.Count, 3)
			s.want("first", s.Cur.Error.First.Seq, uint64(102))
		}},
		{"failures of one round count once", func(s *story) {
			for _, id := range []string{"a", "b", "c"} {
				s.call(1, id, "lookup", id)
			}
			for _, id := range []string{"a", "b", "c"} {
				s.fail(1, id, "not found")
				s.want("told", s.Cur.Error.Count == 1 && s.Cur.Sibling.Count == 1, id == "a")
			}
			s.want("count", s.Window.Sibling.Count, 1)
		}},
		{"a failure that comes late for an earlier round does not count again", func(s *story) {
			for round, id := range []string{"a", "b", "c", "d"} {
				s.call(1+round/2, id, "lookup", id)
			}
			for _, id := range []string{"a", "c", "b", "d"} {
				s.fail(2, id, "not found")
				s.want("told", s.Cur.Error.Count, map[string]int{"a": 1, "c": 2}[id])
			}
			s.want("over tools", s.Window.Sibling.Count, 2)
		}},
		{"a success of the tool forgets its classes", func(s *story) {
			fail(s, 1, "lookup", "7", "not found")
			s.step(2, "lookup", "8", "an order of three pencils")
			fail(s, 3, "lookup", "9", "not found")
			s.want("count", s.Cur.Error.Count, 1)
		}},
		{"a success of another tool does not", func(s *story) {
			fail(s, 1, "lookup", "7", "not found")
			s.step(2, "grep", "8", "an order of three pencils")
			fail(s, 3, "lookup", "9", "not found")
			s.want("count", s.Cur.Error.Count, 2)
		}},
		{"one class over several tools names them", func(s *story) {
			fail(s, 1, "lookup", "7", "access denied")
			fail(s, 2, "search", "7", "access denied")
			fail(s, 3, "lookup", "8", "access denied")
			s.want("count", s.Window.Sibling.Count, 3)
			s.want("tools", len(s.Window.Sibling.Tools), 2)
			fail(s, 4, "search", "7", "the index is broken")
			s.want("another class", s.Window.Sibling.Count, 1)
		}},
		{"classes are bounded", func(s *story) {
			for round := 1; round <= 3*maxErrors; round++ {
				fail(s, round, fmt.Sprint("tool", round), "x", "access denied")
			}
			s.want("classes", s.Window.Errors.Len(), maxErrors)
			s.want("tools of one class", len(s.Window.Sibling.Tools), 8)
		}},
	})
}

func TestTurns(t *testing.T) {
	dollars, steps := func(x float64) *float64 { return &x }, func(n int) *int { return &n }
	state := func(json string) events.Turn { return events.Turn{State: events.RawJSON(json)} }
	tellAll(t, []tale{
		{"usage is summed, and an unknown cost is not zero", func(s *story) {
			s.turn(1, events.Turn{CostUSD: dollars(0.25), Usage: &events.Usage{InputTokens: 100, OutputTokens: 10}})
			s.turn(2, events.Turn{Usage: &events.Usage{OutputTokens: 20}})
			s.turn(3, events.Turn{CostUSD: dollars(0), Usage: &events.Usage{InputTokens: 300, OutputTokens: 30}})
			s.want("usage", s.Usage, Usage{
				Turns: 3, CostUSD: 0.25, Unpriced: 1, InputTokens: 400, OutputTokens: 60, FirstInput: 100, LastInput: 300,
			})
			s.want("tokens", s.Usage.Tokens(), int64(460))
		}},
		{"a round without a turn event is a turn whose cost is unknown", func(s *story) {
			s.step(1, "grep", "foo", "about foo")
			s.want("usage", s.Usage, Usage{Turns: 1, Calls: 1, Unpriced: 1})
		}},
		{"fields are asked for although they are held", func(s *story) {
			s.turn(1, events.Turn{Known: events.Names{"email", "name"}, Asks: []string{"phone"}})
			s.want("asked", len(s.Cur.Asked), 0)
			s.turn(2, events.Turn{Asks: []string{"phone", "name", "email"}})
			s.want("asked", slices.Equal(s.Cur.Asked, []string{"name", "email"}), true)
			s.turn(3, events.Turn{Known: events.Names{}, Asks: []string{"name"}})
			s.want("asked after it was let go", len(s.Cur.Asked), 0)
		}},
		{"an unchanged record is counted over turns", func(s *story) {
			s.turn(1, state(`{"a":1,"b":2}`))
			s.turn(2, state(`{"b":2, "a":1}`))
			s.turn(3, events.Turn{Text: "says nothing of it"})
			s.turn(4, state(`{"a":1,"b":2}`))
			s.want("turns", s.Window.State.Turns, 3)
			s.want("since round", s.Window.State.Round, 1)
			s.turn(5, state(`{"a":1,"b":3}`))
			s.want("turns", s.Window.State.Turns, 1)
		}},
		{"a finished step is progress, whatever the record says", func(s *story) {
			for round, done := range []int{1, 1, 2, 2, 1} {
				turn := state(`{"a":1}`)
				turn.StepsCompleted = steps(done)
				s.turn(round+1, turn)
				s.want(fmt.Sprint("turns after ", done), s.Window.State.Turns, []int{1, 2, 1, 2, 3}[round])
			}
		}},
	})
}
