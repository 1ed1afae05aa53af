package state

import (
	"fmt"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// story is a run that is told event by event. Every event has an id, a place in
// the stream and a seq of its own, unless said otherwise.
type story struct {
	*testing.T
	*Run
	a    Applier
	n    uint64        // events told
	time time.Duration // of the worker, since the story began
}

func newStory(t *testing.T) *story {
	return &story{
		T: t, a: Applier{Features: features.New(features.Rules{})},
		Run: NewRun(RunID{Tenant: "default", Task: "t", Run: "r"}, "agent", 0),
	}
}

var dawn = time.UnixMilli(1_750_000_000_000)

// tell applies an event. What it leaves open is filled in.
func (s *story) tell(e events.Event) Order {
	s.n++
	s.time += time.Second
	if e.ID == "" {
		e.ID = fmt.Sprint("event-", s.n)
	}
	if e.Seq == 0 && e.Kind != events.RunStart {
		e.Seq = max(s.n, s.Seq.High+1)
	}
	if e.Time.IsZero() {
		e.Time = dawn.Add(s.time)
	}
	if e.Stored.IsZero() {
		e.Stored = e.Time
	}
	e.V, e.StreamSeq = 1, 100+s.n
	return s.a.Apply(s.Run, &e)
}

func (s *story) start(b events.Start) { s.tell(events.Event{Kind: events.RunStart, Start: &b}) }

func (s *story) turn(round int, b events.Turn) {
	s.tell(events.Event{Kind: events.TurnKind, Round: round, Turn: &b})
}

// call issues a call with one argument.
func (s *story) call(round int, id, tool, arg string) {
	s.tell(events.Event{Kind: events.ToolCall, Round: round, Call: &events.Call{
		ID: id, Tool: tool, Args: events.RawJSON(fmt.Sprintf(`{"q":%q}`, arg)),
	}})
}

// answer brings the text as the result of a call.
func (s *story) answer(round int, id, text string) {
	s.result(round, id, events.Result{Content: events.RawJSON(fmt.Sprintf("%q", text))})
}

// fail brings an error as the result of a call.
func (s *story) fail(round int, id, message string) {
	s.result(round, id, events.Result{Error: &events.Error{Message: message}})
}

func (s *story) result(round int, id string, b events.Result) {
	b.CallID = id
	s.tell(events.Event{Kind: events.ToolResult, Round: round, Result: &b})
}

// step is a round of one call and its answer.
func (s *story) step(round int, tool, arg, text string) {
	id := fmt.Sprint("c", round)
	s.call(round, id, tool, arg)
	s.answer(round, id, text)
}

func (s *story) user(text string) {
	s.tell(events.Event{Kind: events.Said, Message: &events.Message{Role: "user", Text: text}})
}

// key returns what is remembered of a call.
func (s *story) key(tool, arg string) Key {
	f := s.a.Features.Call(tool, fmt.Appendf(nil, `{"q":%q}`, arg), "", features.Unknown, false)
	if k := s.Window.Keys.Get(f.Key); k != nil {
		return *k
	}
	return Key{}
}

// outcome returns what is remembered of a text as a result.
func (s *story) outcome(tool, text string) Outcome {
	f := s.a.Features.Result(features.Answer{Tool: tool, Content: fmt.Appendf(nil, "%q", text)})
	if o := s.Window.Results.Get(f.Hash); o != nil {
		return *o
	}
	return Outcome{}
}

func (s *story) want(what string, got, want any) {
	s.Helper()
	if got != want {
		s.Errorf("%s: %v, want %v", what, got, want)
	}
}

// tellAll runs each story under its name.
func tellAll(t *testing.T, stories []tale) {
	for _, x := range stories {
		t.Run(x.name, func(t *testing.T) { x.tell(newStory(t)) })
	}
}

// tale is a story: its name says what holds.
type tale struct {
	name string
	tell func(s *story)
}

var yes, no = true, false
