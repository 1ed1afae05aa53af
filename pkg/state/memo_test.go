package state

import (
	"testing"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestSeenIsTheLastHashes(t *testing.T) {
	s := Seen{Limit: 3}
	for h := features.Hash(1); h <= 4; h++ {
		if !s.Add(h) {
			t.Errorf("%d was not there before", h)
		}
	}
	if s.Add(3) || s.Len() != 3 {
		t.Errorf("3 is there; %d hashes are held, want 3", s.Len())
	}
	for h, want := range map[features.Hash]bool{1: false, 2: true, 3: true, 4: true} {
		if s.Has(h) != want {
			t.Errorf("has %d: %v", h, !want)
		}
	}
}

func TestTallyCountsRounds(t *testing.T) {
	var x Tally
	for _, round := range []int{1, 1, 2, 5} {
		x.note(7, 0, round, Ref{Seq: uint64(round)})
	}
	if x.Count != 3 || x.Since != 1 || x.First.Seq != 1 {
		t.Errorf("%+v, want 3 rounds since the first", x)
	}
	if x.note(8, 0, 6, Ref{Seq: 6}); x.Count != 1 || x.Since != 6 {
		t.Errorf("%+v, want another thing to begin anew", x)
	}
	if x.note(8, 1, 7, Ref{Seq: 7}); x.Count != 1 {
		t.Errorf("%+v, want a change to begin anew", x)
	}
}

const story12 = "one two three four five six seven eight nine ten eleven twelve"

func TestMemo(t *testing.T) {
	say := func(s *story, round int, text string) { s.turn(round, events.Turn{Text: text}) }
	tellAll(t, []tale{
		{"rounds that bring only what was had", func(s *story) {
			s.step(1, "grep", "foo", "no matches found anywhere")
			s.step(2, "grep", "bar", "bar.go and nothing besides")
			s.step(3, "grep", "foo", "no matches found anywhere")
			s.step(4, "grep", "bar", "bar.go and nothing besides")
			s.want("idle", s.Window.Memo.Idle.Count, 2)
			s.want("since", s.Window.Memo.Idle.Since, 3)
			s.user("go on")
			s.step(5, "grep", "bar", "bar.go and nothing besides")
			s.want("after the user", s.Window.Memo.Idle.Count, 1)
			s.step(6, "grep", "baz", "baz.go and nothing besides")
			s.want("after something new", s.Window.Memo.Idle.Count, 0)
		}},
		{"the first turn says the task, the others are the run's own", func(s *story) {
			say(s, 1, story12)
			say(s, 2, story12)
			s.want("own", s.Window.Memo.Own.Len(), 0)
			say(s, 3, "now "+story12+" and what comes after it is said here for once")
			s.want("own", s.Window.Memo.Own.Len() > 0, true)
			s.user("well")
			s.want("after the user", s.Window.Memo.Own.Len(), 0)
		}},
		{"a text again, with half a change in between", func(s *story) {
			say(s, 1, story12)
			say(s, 2, story12)
			s.want("halves", s.Cur.Plan.Halves, 4)
			s.step(3, "frobnicate", "x", "did it")
			say(s, 4, story12)
			s.want("halves", s.Cur.Plan.Halves, 5)
			s.user("go on")
			say(s, 5, story12)
			s.want("after the user", s.Cur.Plan.Halves, 2)
		}},
		{"talk ends with a call", func(s *story) {
			say(s, 1, "goodbye and take care")
			say(s, 2, "goodbye and take care")
			s.want("same", s.Window.Memo.Talk.Same, 2)
			s.want("alike", s.Window.Memo.Talk.Alike, 1)
			s.call(3, "a", "grep", "foo")
			say(s, 4, "goodbye and take care")
			s.want("after a call", s.Window.Memo.Talk.Same, 1)
		}},
		{"a fence that is left open goes on until it is closed", func(s *story) {
			say(s, 1, "look: ``` "+story12)
			s.want("words before it", s.Cur.Text.Words, 1)
			say(s, 2, story12)
			s.want("words inside", s.Cur.Text.Words, 0)
			say(s, 3, story12+" ``` so it is")
			s.want("words after it", s.Cur.Text.Words, 3)
			say(s, 4, "``` a")
			s.call(5, "a", "grep", "foo")
			say(s, 6, story12)
			s.want("words after a call", s.Cur.Text.Words, 12)
		}},
		{"compactions without work", func(s *story) {
			s.turn(1, events.Turn{Compacted: true})
			s.turn(2, events.Turn{Compacted: true})
			s.want("compacted", s.Window.Memo.Compacted.Count, 2)
			s.step(3, "grep", "foo", "no matches found anywhere")
			s.want("after something new", s.Window.Memo.Compacted.Count, 0)
		}},
	})
}
