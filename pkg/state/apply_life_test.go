package state

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestWhatDoesNotCount(t *testing.T) {
	tellAll(t, []tale{
		{"a duplicate changes nothing but its counter", func(s *story) {
			s.step(1, "grep", "foo", "no matches found anywhere")
			s.step(2, "grep", "foo", "no matches found anywhere")
			before := AppendRun(nil, s.Run)
			for _, e := range []events.Event{
				{ID: "event-1", Kind: events.ToolCall, Round: 3, Call: &events.Call{ID: "x", Tool: "grep"}},
				{ID: "event-2", Kind: events.RunEnd, End: &events.End{Status: events.Done}},
			} {
				s.want("order", s.tell(e), Duplicate)
				s.want("counts", s.Cur.Counts, false)
			}
			s.want("duplicates", s.Seq.Duplicates, uint64(2))
			s.Seq.Duplicates = 0
			s.want("all else is as before", bytes.Equal(before, AppendRun(nil, s.Run)), true)
		}},
		{"a late event is applied, and is late", func(s *story) {
			s.tell(events.Event{Kind: events.TurnKind, Round: 1, Seq: 5, Turn: &events.Turn{}})
			e := events.Event{Kind: events.ToolCall, Round: 1, Seq: 3, Call: &events.Call{ID: "a", Tool: "grep"}}
			s.want("order", s.tell(e), LateEvent)
			s.want("late", s.Seq.Late, uint64(1))
			s.want("gaps", s.Seq.Gaps, uint64(3))
			s.want("calls", s.Usage.Calls, 1)
			s.want("counts", s.Cur.Counts, true)
		}},
		{"what we injected ourselves is not counted", func(s *story) {
			s.step(1, "grep", "foo", "about foo")
			window, usage := AppendRun(nil, &Run{Window: s.Window}), s.Usage
			for _, e := range []events.Event{
				{Kind: events.TurnKind, Round: 2, Turn: &events.Turn{Text: "grep was called twice"}},
				{Kind: events.Said, Message: &events.Message{Role: "user", Text: "grep was called twice"}},
				{Kind: events.ToolResult, Round: 1, Result: &events.Result{CallID: "c1"}},
			} {
				e.Origin = events.FromLoopwatch
				s.want("order", s.tell(e), InOrder)
				s.want("counts", s.Cur.Counts, false)
			}
			s.want("the window is as before", bytes.Equal(window, AppendRun(nil, &Run{Window: s.Window})), true)
			s.want("usage", s.Usage, usage)
		}},
		{"weather is no result", func(s *story) {
			s.step(1, "fetch", "x", "page one of the archive")
			s.step(2, "fetch", "x", "page one of the archive")
			s.call(3, "a", "fetch", "x")
			s.result(3, "a", events.Result{Error: &events.Error{Message: "503", Retryable: true}})
			s.want("counts", s.Cur.Counts, false)
			s.want("answered", s.Cur.Answered, true)
			s.want("error classes", s.Window.Errors.Len(), 0)
			s.step(4, "fetch", "x", "page one of the archive")
			s.want("same", s.key("fetch", "x").Same, uint32(3))
		}},
	})
}

func TestLife(t *testing.T) {
	declared := events.Start{
		Attempt: 2, Model: "m1", Limits: events.Limits{MaxTurns: 30},
		Tools: []events.Tool{{Name: "get", Effect: events.EffectRead}, {Name: "wait_for", Polls: true}},
	}
	tellAll(t, []tale{
		{"a start declares", func(s *story) {
			s.start(declared)
			s.want("opened", s.Opened, uint32(1))
			s.want("attempt", s.Attempt, 2)
			s.want("model", s.Model, "m1")
			s.want("limits", s.Limits, events.Limits{MaxTurns: 30})
			s.want("tools", fmt.Sprint(s.Tools[0].Name, " ", s.Tools[0].Effect, " ", s.Tools[1].Polls), "get read true")
		}},
		{"a start on a live run re-attaches, it resets nothing", func(s *story) {
			s.start(declared)
			s.step(1, "get", "x", "no such record there")
			window := AppendRun(nil, &Run{Window: s.Window})
			s.start(events.Start{})
			s.want("opened", s.Opened, uint32(2))
			s.want("limits", s.Limits, declared.Limits)
			s.want("attempt, model, tools", fmt.Sprint(s.Attempt, " ", s.Model, " ", len(s.Tools)), "2 m1 2")
			s.want("the window is as before", bytes.Equal(window, AppendRun(nil, &Run{Window: s.Window})), true)
		}},
		{"an end, and a start that opens it again", func(s *story) {
			s.tell(events.Event{Kind: events.RunEnd, End: &events.End{Status: events.Blocked}})
			s.want("phase", s.Phase, Ended)
			s.want("ended as", s.EndedAs, events.Blocked)
			s.start(events.Start{})
			s.want("phase", s.Phase, Live)
		}},
		{"a parent is told once", func(s *story) {
			s.want("root", s.Root(), true)
			for _, parent := range []string{"", "p1", "p2"} {
				s.tell(events.Event{Kind: events.Said, Parent: parent, Message: &events.Message{Role: "assistant"}})
			}
			s.want("parent", s.Parent, "p1")
			s.want("root", s.Root(), false)
		}},
		{"a tool is found by the hash its calls have", func(s *story) {
			s.start(declared)
			s.call(1, "a", "get", "x")
			tool := s.Tool(s.Cur.Call.Tool)
			s.want("known", tool != nil && tool.Name == "get" && tool.Effect == features.Read, true)
			s.call(1, "b", "other", "x")
			tool = s.Tool(s.Cur.Call.Tool)
			s.want("learned", tool != nil && tool.Name == "other", true)
		}},
		{"tools seen are learned, up to a bound", func(s *story) {
			for i := range MaxTools + 5 {
				s.call(1, fmt.Sprint(i), fmt.Sprint("tool", i), "x")
			}
			s.want("tools", len(s.Tools), MaxTools)
			s.want("calls", s.Usage.Calls, MaxTools+5)
		}},
		{"the newest event is remembered", func(s *story) {
			s.turn(1, events.Turn{})
			s.tell(events.Event{ID: "last", Kind: events.TurnKind, Round: 2, Seq: 9, Turn: &events.Turn{}})
			s.want("id", string(s.LastID), "last")
			s.want("seq", s.LastSeq, uint64(9))
			s.want("ref", s.LastRef, Ref{Seq: 102, ID: DigestOf("last")})
		}},
	})
}

func TestClock(t *testing.T) {
	tests := []struct {
		name    string
		at      []time.Duration // worker's clock at each event
		elapsed time.Duration
	}{
		{"one event", []time.Duration{5 * time.Second}, 0},
		{"steps add up", []time.Duration{0, time.Second, 90 * time.Second}, 90 * time.Second},
		{"a step back is none", []time.Duration{0, time.Minute, 0, time.Second}, 61 * time.Second},
		{"a step is an hour at most", []time.Duration{0, time.Hour, 100 * time.Hour}, 2 * time.Hour},
		{"a clock set forward by years is one hour", []time.Duration{0, 1e5 * time.Hour, 1e5*time.Hour + time.Second}, time.Hour + time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStory(t)
			for _, at := range test.at {
				s.tell(events.Event{Kind: events.TurnKind, Round: 1, Time: dawn.Add(at), Stored: dawn, Turn: &events.Turn{}})
			}
			s.want("elapsed", time.Duration(s.Clock.Elapsed)*time.Millisecond, test.elapsed)
			s.want("stored", s.StoredMS, dawn.UnixMilli())
		})
	}
}

// The stored time of a run never goes back, and is apart from its clock.
func TestStoredTimeNeverGoesBack(t *testing.T) {
	s := newStory(t)
	for _, at := range []time.Duration{time.Hour, 0, time.Minute} {
		s.tell(events.Event{Kind: events.TurnKind, Round: 1, Time: dawn, Stored: dawn.Add(at), Turn: &events.Turn{}})
	}
	s.want("stored", s.StoredMS, dawn.Add(time.Hour).UnixMilli())
	s.want("elapsed", s.Clock.Elapsed, int64(0))
}
