package state

import (
	"fmt"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestRounds(t *testing.T) {
	tellAll(t, []tale{
		{"equal calls of one round are one piece of evidence", func(s *story) {
			for i := range 3 {
				s.call(1, fmt.Sprint("c", i), "grep", "foo")
			}
			for i := range 3 {
				s.answer(1, fmt.Sprint("c", i), "no matches found anywhere")
			}
			k, o := s.key("grep", "foo"), s.outcome("grep", "no matches found anywhere")
			s.want("calls", k.Calls, uint32(3))
			s.want("rounds", k.Rounds, uint32(1))
			s.want("same", k.Same, uint32(1))
			s.want("futile", k.Futile, uint32(1))
			s.want("outcome", o.Count, uint32(1))
			s.want("turns", s.Usage.Turns, 1)
		}},
		{"the same call in three rounds is three", func(s *story) {
			for round := 1; round <= 3; round++ {
				s.step(round, "grep", "foo", "no matches found anywhere")
			}
			k, o := s.key("grep", "foo"), s.outcome("grep", "no matches found anywhere")
			s.want("rounds", k.Rounds, uint32(3))
			s.want("same", k.Same, uint32(3))
			s.want("futile", k.Futile, uint32(3))
			s.want("outcome", o.Count, uint32(3))
			s.want("first", k.First.Seq, uint64(101))
			s.want("first result", k.FirstResult.Seq, uint64(102))
			s.want("last", k.Last.Seq, uint64(105))
			s.want("last result", k.LastResult.Seq, uint64(106))
		}},
		{"failing in other words is futile, not the same", func(s *story) {
			for round, words := range []string{"no such file", "permission denied", "is a directory"} {
				id := fmt.Sprint("c", round)
				s.call(round+1, id, "read_file", "x")
				s.fail(round+1, id, words)
			}
			k := s.key("read_file", "x")
			s.want("same", k.Same, uint32(1))
			s.want("futile", k.Futile, uint32(3))
			s.want("began in round", k.FutileRound, 1)
		}},
		{"a round is told when its last result comes", func(s *story) {
			s.call(1, "a", "grep", "foo")
			s.call(1, "b", "grep", "bar")
			s.answer(1, "b", "one")
			s.want("completed after one of two", s.Cur.Completed, false)
			s.answer(1, "a", "two")
			s.want("completed after both", s.Cur.Completed, true)
			s.turn(2, events.Turn{})
			s.want("told again", s.Cur.Completed, false)
		}},
		{"a later round tells one whose results never came", func(s *story) {
			s.call(1, "a", "grep", "foo")
			s.turn(2, events.Turn{})
			s.want("completed", s.Cur.Completed, true)
			s.want("new turn", s.Cur.NewTurn, true)
			s.want("quiet", s.Window.Quiet.Rounds, 1)
		}},
		{"parallel calls know that they are not the first", func(s *story) {
			s.call(1, "a", "grep", "foo")
			s.want("first call", s.Cur.SameRound, false)
			s.call(1, "b", "grep", "foo")
			s.want("second call", s.Cur.SameRound, true)
			s.answer(1, "a", "one")
			s.want("first result", s.Cur.SameRound, false)
			s.answer(1, "b", "one")
			s.want("second result", s.Cur.SameRound, true)
			s.call(2, "a", "grep", "foo")
			s.want("next round", s.Cur.SameRound, false)
		}},
	})
}

func TestQuietRounds(t *testing.T) {
	tellAll(t, []tale{
		{"rounds that bring what is known are quiet", func(s *story) {
			s.step(1, "grep", "foo", "no matches found anywhere")
			s.want("after something new", s.Window.Quiet, Lull{})
			s.step(2, "grep", "bar", "no matches found anywhere")
			s.step(3, "grep", "baz", "no matches found anywhere")
			s.want("quiet", s.Window.Quiet.Rounds, 2)
			s.want("since round", s.Window.Quiet.Round, 2)
			s.step(4, "grep", "qux", "something else altogether")
			s.want("after something new", s.Window.Quiet, Lull{})
		}},
		{"one new result among parallel ones is enough", func(s *story) {
			s.step(1, "grep", "foo", "no matches found anywhere")
			s.call(2, "a", "grep", "bar")
			s.call(2, "b", "grep", "baz")
			s.answer(2, "a", "something else altogether")
			s.answer(2, "b", "no matches found anywhere")
			s.want("quiet", s.Window.Quiet.Rounds, 0)
		}},
		{"a side effect is no quiet", func(s *story) {
			s.step(1, "sync", "foo", "done with the whole of it")
			s.call(2, "a", "sync", "foo")
			s.result(2, "a", events.Result{Content: events.RawJSON(`"done with the whole of it"`), Changed: &yes})
			s.want("quiet", s.Window.Quiet.Rounds, 0)
		}},
		{"text alone is quiet", func(s *story) {
			s.turn(1, events.Turn{Text: "let me think"})
			s.turn(2, events.Turn{Text: "let me think again"})
			s.want("quiet", s.Window.Quiet.Rounds, 1)
		}},
		{"the user's word begins the count of lonely rounds anew", func(s *story) {
			s.turn(1, events.Turn{})
			s.turn(2, events.Turn{})
			s.want("alone", s.Window.Alone.Rounds, 1)
			s.user("go on")
			s.want("alone", s.Window.Alone.Rounds, 0)
			s.want("quiet", s.Window.Quiet.Rounds, 1)
		}},
		{"weather is neither quiet nor news, and no lap", func(s *story) {
			s.turn(1, events.Turn{})
			s.call(2, "a", "fetch", "x")
			s.result(2, "a", events.Result{Error: &events.Error{Message: "rate limit", Retryable: true}})
			s.want("counts", s.Cur.Counts, false)
			s.turn(3, events.Turn{})
			s.want("quiet", s.Window.Quiet.Rounds, 1)
			s.want("laps", s.Window.Laps.Items.Len(), 0)
		}},
		{"news that comes after its round was left ends the quiet", func(s *story) {
			s.call(1, "a", "slow", "x")
			s.turn(2, events.Turn{})
			s.turn(3, events.Turn{})
			s.want("quiet before", s.Window.Quiet.Rounds, 2)
			s.answer(1, "a", "something at last")
			s.want("quiet after", s.Window.Quiet.Rounds, 0)
		}},
		{"rounds of equal pairs are laps, whatever the order of their calls", func(s *story) {
			for round, order := range [][2]string{{"foo", "bar"}, {"bar", "foo"}, {"foo", "bar"}} {
				for _, q := range order {
					s.call(round+1, q, "grep", q)
				}
				for _, q := range []string{"foo", "bar"} {
					s.answer(round+1, q, "about "+q+" there is nothing")
				}
			}
			s.want("laps", s.Window.Laps.Items.Len(), 3)
			s.want("period", s.Window.Laps.Period(1, 4, 3), 1)
		}},
	})
}
