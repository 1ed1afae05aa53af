package state

import (
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestFreshWindow(t *testing.T) {
	tellAll(t, []tale{
		{"forgets what was repeated", func(s *story) {
			for round := 1; round <= 3; round++ {
				s.step(round, "grep", "foo", "no matches found anywhere")
			}
			s.Window = s.Window.Fresh(9)
			s.want("calls", s.key("grep", "foo"), Key{})
			s.want("quiet", s.Window.Quiet, Lull{})
			s.want("laps", s.Window.Laps.Items.Len(), 0)
			s.want("memory", s.Window.Keys.Limit, 9)
			s.step(4, "grep", "foo", "no matches found anywhere")
			s.want("same", s.key("grep", "foo").Same, uint32(1))
			s.want("calls so far", s.Window.CallNo, uint32(4))
		}},
		{"takes no answer to a call from before", func(s *story) {
			s.call(1, "a", "grep", "foo")
			s.Window = s.Window.Fresh(0)
			s.answer(1, "a", "no matches found anywhere")
			s.want("answered", s.Cur.Answered, false)
			s.want("step", s.Cur.Step.Call.Seq, uint64(0))
			s.want("calls", s.key("grep", "foo"), Key{})
		}},
		{"does not tell the round under way", func(s *story) {
			s.call(1, "a", "grep", "foo")
			s.Window = s.Window.Fresh(0)
			s.turn(2, events.Turn{})
			s.want("completed", s.Cur.Completed, false)
			s.want("quiet", s.Window.Quiet.Rounds, 0)
		}},
	})
}

func TestMemoryIsBounded(t *testing.T) {
	tellAll(t, []tale{
		{"the default", func(s *story) {
			s.want("calls", s.Window.Keys.Limit, DefaultMemory)
			s.want("results", s.Window.Results.Limit, DefaultMemory)
		}},
		{"as many distinct calls as memory are told exactly", func(s *story) {
			s.Window = NewWindow(3)
			for round, arg := range []string{"a", "b", "c", "a", "b", "c"} {
				s.step(round+1, "grep", arg, "about "+arg+" there is nothing")
			}
			s.want("truncated", s.Window.Truncated(), false)
			s.want("calls of a", s.key("grep", "a").Calls, uint32(2))
		}},
		{"one more, and the window says so", func(s *story) {
			s.Window = NewWindow(3)
			for round, arg := range []string{"a", "b", "c", "d"} {
				s.step(round+1, "grep", arg, "always the same answer")
			}
			s.want("truncated", s.Window.Truncated(), true)
			s.want("calls of a", s.key("grep", "a").Calls, uint32(0))
			s.want("calls of d", s.key("grep", "d").Calls, uint32(1))
		}},
	})
}

func TestPhaseHasAName(t *testing.T) {
	for p, want := range map[Phase]string{Live: "live", Ended: "ended", Lost: "lost"} {
		if p.String() != want {
			t.Errorf("phase %d is %q, want %q", p, p, want)
		}
	}
}
