package state

import "testing"

func TestAskedTogether(t *testing.T) {
	const none = "no such user in the books"
	tellAll(t, []tale{
		{"one tool asked different things in a round", func(s *story) {
			s.call(1, "a", "find", "x")
			s.call(1, "b", "find", "y")
			tool := s.Cur.Call.Tool
			s.want("together", s.Window.Together(tool, 1), true)
			s.want("in another round", s.Window.Together(tool, 2), false)
			s.want("another tool", s.Window.Together(tool+1, 1), false)
		}},
		{"the same thing twice is one", func(s *story) {
			s.call(1, "a", "find", "x")
			s.call(1, "b", "find", "x")
			s.want("together", s.Window.Together(s.Cur.Call.Tool, 1), false)
		}},
		{"only rounds with one question are sole, and only once they are over", func(s *story) {
			s.step(1, "find", "a", none)
			s.step(2, "find", "b", none)
			s.want("after two rounds", s.outcome("find", none).Sole, uint32(1))
			s.call(3, "a", "find", "c")
			s.answer(3, "a", none)
			s.call(3, "b", "find", "d")
			s.answer(3, "b", none)
			s.step(4, "find", "e", none)
			s.want("the third asked two things", s.outcome("find", none).Sole, uint32(2))
			s.want("rounds", s.outcome("find", none).Count, uint32(4))
		}},
		{"what the tool answered in a row, before more was asked in the round", func(s *story) {
			stuck := func() int { return s.Window.Memo.Stuck.Get(s.Cur.Call.Tool).Count }
			s.step(1, "find", "a", none)
			s.call(2, "a", "find", "b")
			s.answer(2, "a", none)
			s.want("two rounds", stuck(), 2)
			s.want("and told", s.Cur.Stuck.Count, 2)
			for _, id := range []string{"b", "c"} {
				s.call(2, id, "find", id+id)
				s.answer(2, id, none)
				s.want("the round does not count after all", stuck(), 1)
				s.want("nor is it told", s.Cur.Stuck.Count, 0)
			}
			s.call(2, "d", "find", "dd")
			s.answer(2, "d", "a user of that name: Ada, of London")
			s.call(3, "a", "find", "e")
			s.call(3, "b", "find", "f")
			s.answer(3, "a", "nobody of that name, not even one")
			s.want("another answer of a round of two ends it", stuck(), 0)
		}},
	})
}
