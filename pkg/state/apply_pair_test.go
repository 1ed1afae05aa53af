package state

import (
	"fmt"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestPairs(t *testing.T) {
	tellAll(t, []tale{
		{"a result belongs to the call of its id", func(s *story) {
			s.call(1, "a", "grep", "foo")
			s.call(1, "b", "grep", "bar")
			s.answer(1, "b", "about bar")
			s.want("answered", s.Cur.Answered, true)
			s.want("step", s.Cur.Step.Call.Seq, uint64(102))
			s.want("call", s.Cur.CallSeq, uint64(102))
			s.want("open", s.Window.Pending.Len(), 1)
		}},
		{"an id used again belongs to the call of the same round", func(s *story) {
			s.call(1, "a", "grep", "foo")
			s.call(2, "a", "grep", "bar")
			s.answer(1, "a", "about foo")
			s.want("step", s.Cur.Step.Call.Seq, uint64(101))
			s.answer(2, "a", "about bar")
			s.want("step", s.Cur.Step.Call.Seq, uint64(102))
		}},
		{"of another round, it belongs to the newest", func(s *story) {
			s.call(1, "a", "grep", "foo")
			s.call(2, "a", "grep", "bar")
			s.answer(3, "a", "about something")
			s.want("step", s.Cur.Step.Call.Seq, uint64(102))
		}},
		{"a second result of a call belongs to none", func(s *story) {
			s.step(1, "grep", "foo", "about foo")
			s.answer(1, "c1", "about foo again")
			s.want("answered", s.Cur.Answered, false)
			s.want("steps", s.Window.Steps.Len(), 1)
			s.want("results", s.key("grep", "foo").Results, uint32(1))
		}},
		{"a result without a call changes nothing", func(s *story) {
			s.answer(1, "a", "about foo")
			s.want("answered", s.Cur.Answered, false)
			s.want("results", s.Window.Results.Len(), 0)
			s.want("step", s.Cur.Step, Step{})
		}},
		{"beyond the bound the oldest open call is forgotten", func(s *story) {
			for i := range MaxPending + 1 {
				s.call(1, fmt.Sprint(i), "grep", fmt.Sprint(i))
			}
			s.answer(1, "0", "about the first")
			s.want("the first is known", s.Cur.Answered, false)
			s.answer(1, "1", "about the second")
			s.want("the second is known", s.Cur.Answered, true)
		}},
		{"answered calls take no room from open ones", func(s *story) {
			s.call(1, "slow", "build", "all")
			for round := 2; round < 2*MaxPending; round++ {
				s.step(round, "grep", fmt.Sprint(round), fmt.Sprint("about ", round))
			}
			s.answer(1, "slow", "built it after all")
			s.want("answered", s.Cur.Answered, true)
		}},
		{"a late pair of an earlier round does not count again", func(s *story) {
			s.call(1, "a", "grep", "foo")
			s.call(1, "b", "grep", "foo")
			s.answer(1, "a", "no matches found anywhere")
			s.call(2, "c", "grep", "foo")
			s.call(2, "d", "grep", "foo")
			for _, late := range []string{"c", "b", "d"} {
				s.answer(1, late, "no matches found anywhere")
			}
			s.call(1, "e", "grep", "foo")
			k, o := s.key("grep", "foo"), s.outcome("grep", "no matches found anywhere")
			s.want("rounds", k.Rounds, uint32(2))
			s.want("same", k.Same, uint32(2))
			s.want("outcome", o.Count, uint32(2))
			s.want("newest round", k.Round, 2)
		}},
		{"a call that memory dropped before its answer came was issued all the same", func(s *story) {
			s.Window = NewWindow(1)
			s.call(1, "a", "grep", "foo")
			s.call(1, "b", "grep", "bar")
			s.answer(1, "a", "about foo")
			k := s.key("grep", "foo")
			s.want("calls", k.Calls, uint32(1))
			s.want("rounds", k.Rounds, uint32(1))
			s.want("first", k.First.Seq, uint64(101))
			s.want("truncated", s.Window.Truncated(), true)
		}},
		{"what was known before stays as it was", func(s *story) {
			s.call(1, "a", "grep", "foo")
			s.answer(1, "a", "no matches found anywhere")
			s.call(2, "b", "grep", "bar")
			s.answer(2, "b", "no matches found anywhere")
			before, after := s.Cur.Outcome.Args, s.outcome("grep", "no matches found anywhere").Args
			s.want("arguments", len(before) == 1 && len(after) == 1 && before[0] != after[0], true)
		}},
	})
}

func TestReplayedResults(t *testing.T) {
	replay := func(s *story, round int, id string) {
		s.result(round, id, events.Result{Content: events.RawJSON(`"no matches found anywhere"`), Replayed: true})
	}
	tellAll(t, []tale{
		{"they neither count nor reset", func(s *story) {
			s.step(1, "grep", "foo", "no matches found anywhere")
			s.step(2, "grep", "foo", "no matches found anywhere")
			before, outcome := s.key("grep", "foo"), s.outcome("grep", "no matches found anywhere")
			s.call(3, "c", "grep", "foo")
			replay(s, 3, "c")
			after := s.key("grep", "foo")
			s.want("counts", s.Cur.Counts, false)
			s.want("results", after.Results, before.Results)
			s.want("same", after.Same, before.Same)
			s.want("last result", after.LastResult, before.LastResult)
			s.want("outcome", s.outcome("grep", "no matches found anywhere").Count, outcome.Count)
			s.want("steps", s.Window.Steps.Len(), 2)
			s.step(4, "grep", "foo", "no matches found anywhere")
			s.want("same goes on", s.key("grep", "foo").Same, uint32(3))
		}},
		{"but the call counts", func(s *story) {
			s.call(1, "a", "grep", "foo")
			replay(s, 1, "a")
			s.want("calls", s.key("grep", "foo").Calls, uint32(1))
			s.want("usage", s.Usage.Calls, 1)
		}},
		{"and it answers the call", func(s *story) {
			s.call(1, "a", "grep", "foo")
			replay(s, 1, "a")
			s.want("answered", s.Cur.Answered, true)
			s.want("open", s.Window.Pending.Len(), 0)
			s.want("completed", s.Cur.Completed, true)
		}},
	})
}
