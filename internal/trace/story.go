package trace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// begin is when every section begins.
var begin = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

// step is how long a line takes.
const step = time.Second

// maxWait bounds one wait line.
const maxWait = 1000 * time.Hour

// story turns the lines of one section into events.
type story struct {
	now    time.Time
	runs   map[string]*teller
	run    *teller
	calls  int
	origin events.Origin // of the next event
}

// teller is one run of the story.
type teller struct {
	name, parent string
	seq          uint64
	round        int
	fixed        bool // a round line said which round it is
	waiting      bool // a turn opened the round and has no call yet
	called       bool // the line before was a call or belongs to its round
	open         []openCall
}

type openCall struct {
	id, tool string
	round    int
}

func newStory() *story {
	t := &teller{name: "r1"}
	return &story{now: begin, runs: map[string]*teller{t.name: t}, run: t}
}

// tell takes one line and adds its event, where it is one.
func (s *story) tell(sec *Section, line int, text string) error {
	joined := strings.HasPrefix(text, "|")
	if joined {
		text = strings.TrimSpace(text[1:])
	}
	word, rest, _ := strings.Cut(text, " ")
	word, rest = strings.TrimSpace(word), strings.TrimSpace(rest)
	if joined && word != "call" {
		return errors.New("| joins a call to the round of the call before it, and nothing else")
	}
	if joined && !s.run.called {
		return errors.New("| wants a call before it")
	}
	if known, err := s.direct(sec, line, word, rest); known || err != nil {
		return wrap(word, err)
	}
	if word == "again" {
		return wrap(word, s.again(sec, line, rest))
	}
	e := events.Event{V: events.Version, Tenant: "default", Agent: "agent", Task: "t1", Origin: events.FromAgent}
	if err := s.body(&e, word, rest, joined); err != nil {
		return wrap(word, err)
	}
	return wrap(word, s.add(sec, line, e))
}

func wrap(word string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", word, err)
	}
	return nil
}

// add completes an event and puts it at the end of the section.
func (s *story) add(sec *Section, line int, e events.Event) error {
	r := s.run
	e.ID = "line-" + strconv.Itoa(line)
	e.Run, e.Parent = r.name, r.parent
	if s.origin != "" {
		e.Origin, s.origin = s.origin, ""
	}
	r.seq++
	e.Seq = r.seq
	s.stamp(sec, &e)
	if err := e.Validate(); err != nil {
		r.seq--
		return err
	}
	r.called = e.Kind == events.ToolCall
	sec.Events, sec.Lines = append(sec.Events, e), append(sec.Lines, line)
	return nil
}

// stamp gives an event its time and its place in the stream.
func (s *story) stamp(sec *Section, e *events.Event) {
	s.now = s.now.Add(step)
	e.Time, e.Stored = s.now, s.now
	e.StreamSeq = uint64(len(sec.Events) + 1)
}

// again delivers the newest event a second time.
func (s *story) again(sec *Section, line int, rest string) error {
	if rest != "" {
		return errors.New("stands alone")
	}
	if len(sec.Events) == 0 {
		return errors.New("wants an event before it")
	}
	e := sec.Events[len(sec.Events)-1]
	worker := e.Time
	s.stamp(sec, &e)
	e.Time = worker
	sec.Events, sec.Lines = append(sec.Events, e), append(sec.Lines, line)
	return nil
}

// direct takes the lines that direct the telling and are no events.
func (s *story) direct(sec *Section, line int, word, rest string) (known bool, err error) {
	switch word {
	case "set":
		key, value, ok := strings.Cut(rest, " ")
		if value = strings.TrimSpace(value); !ok || value == "" {
			return true, errors.New("wants a key and a value")
		}
		sec.Settings = append(sec.Settings, Setting{Line: line, Key: key, Value: value})
	case "wait":
		d, err := time.ParseDuration(rest)
		if err != nil || d <= 0 || d > maxWait {
			return true, fmt.Errorf("%q is no duration above 0 and up to %s", rest, maxWait)
		}
		s.now = s.now.Add(d)
	case "round":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 || n > events.MaxRound {
			return true, fmt.Errorf("%q is no round from 1", rest)
		}
		s.run.round, s.run.fixed = n, true
	case "origin":
		if rest != string(events.FromLoopwatch) && rest != string(events.FromAgent) {
			return true, fmt.Errorf("%q is neither agent nor loopwatch", rest)
		}
		s.origin = events.Origin(rest)
	case "run":
		return true, s.change(rest)
	default:
		return false, nil
	}
	return true, nil
}

// change turns to another run of the task.
func (s *story) change(rest string) error {
	name, option, _ := strings.Cut(rest, " ")
	option = strings.TrimSpace(option)
	parent, ok := strings.CutPrefix(option, "parent=")
	if option != "" && !ok || !events.ValidName(name) {
		return errors.New("wants a name, and parent=NAME or nothing")
	}
	r := s.runs[name]
	if r == nil {
		r = &teller{name: name}
		s.runs[name] = r
	}
	if ok {
		r.parent = parent
	}
	s.run = r
	return nil
}
