package trace

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// body gives an event its kind and what it says.
func (s *story) body(e *events.Event, word, rest string, joined bool) error {
	switch word {
	case "start":
		e.Kind, e.Start = events.RunStart, &events.Start{}
		return object(rest, e.Start)
	case "turn":
		return s.turn(e, rest)
	case "call":
		return s.call(e, rest, joined)
	case "result":
		return s.result(e, rest, false)
	case "error":
		return s.result(e, rest, true)
	case "user", "say":
		role := map[string]string{"user": "user", "say": "assistant"}[word]
		e.Kind, e.Message = events.Said, &events.Message{Role: role, Text: rest}
	case "tell":
		to, text, _ := strings.Cut(rest, " ")
		e.Kind, e.Message = events.Said, &events.Message{Role: "assistant", To: to, Text: strings.TrimSpace(text)}
	case "end":
		status, reason, _ := strings.Cut(rest, " ")
		e.Kind, e.End = events.RunEnd, &events.End{Status: events.Status(status), Reason: strings.TrimSpace(reason)}
	case "blocked":
		e.Kind, e.End = events.RunEnd, &events.End{Status: events.Blocked, Blocked: &events.Blocker{}}
		return object(rest, e.End.Blocked)
	case "ack":
		outcome := rest
		if outcome == "" {
			outcome = string(events.Applied)
		}
		e.Kind, e.Ack = events.ControlAck, &events.Ack{Control: Newest, Outcome: events.Outcome(outcome)}
	default:
		return errors.New("no such step")
	}
	return nil
}

// Newest stands in an ack for the id of the run's newest control, which only
// the runner knows.
const Newest = "newest"

// object decodes a JSON object; nothing is an empty one. Unknown members are
// mistakes: here nobody writes them for a later version.
func object(text string, into any) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), into, json.RejectUnknownMembers(true))
}

// turn opens a round; a JSON object at its end holds the other fields.
func (s *story) turn(e *events.Event, rest string) error {
	t := &events.Turn{}
	for i := strings.IndexByte(rest, '{'); i >= 0; {
		if tail := rest[i:]; (i == 0 || rest[i-1] == ' ') && jsontext.Value(tail).IsValid() {
			if err := object(tail, t); err != nil {
				return err
			}
			rest = strings.TrimSpace(rest[:i])
			break
		}
		next := strings.IndexByte(rest[i+1:], '{')
		if next < 0 {
			break
		}
		i += next + 1
	}
	t.Text = rest
	s.openRound()
	s.run.waiting = true
	e.Kind, e.Round, e.Turn = events.TurnKind, s.run.round, t
	return nil
}

func (s *story) openRound() {
	if !s.run.fixed {
		s.run.round++
	}
}

// call issues a call: in the round of the turn before it, of the call it
// joins, or in a new one.
func (s *story) call(e *events.Event, rest string, joined bool) error {
	rest, opts := cutOptions(rest)
	tool, args, _ := strings.Cut(rest, " ")
	args = strings.TrimSpace(args)
	if tool == "" {
		return errors.New("wants the name of a tool")
	}
	c := &events.Call{Tool: tool}
	if err := opts.timeout(c); err != nil {
		return err
	}
	if raw, ok := strings.CutPrefix(args, "raw "); ok {
		c.RawArgs = raw
	} else if args != "" {
		if !jsontext.Value(args).IsValid() {
			return fmt.Errorf("%q is no JSON; arguments that are none begin with raw", args)
		}
		if err := json.Unmarshal([]byte(args), &c.Args); err != nil {
			return err
		}
	}
	if !joined && !s.run.waiting {
		s.openRound()
	}
	s.run.waiting = false
	s.calls++
	c.ID = "c" + strconv.Itoa(s.calls)
	s.run.open = append(s.run.open, openCall{id: c.ID, tool: tool, round: s.run.round})
	e.Kind, e.Round, e.Call = events.ToolCall, s.run.round, c
	return nil
}

// result answers an open call.
func (s *story) result(e *events.Event, rest string, failed bool) error {
	text, opts := cutOptions(rest)
	res := &events.Result{}
	if failed {
		res.Error = &events.Error{Message: text}
	} else if err := content(res, text); err != nil {
		return err
	}
	id, err := opts.apply(res)
	if err != nil {
		return err
	}
	at := 0
	if id != "" {
		at = slices.IndexFunc(s.run.open, func(c openCall) bool { return c.id == id })
	}
	if at < 0 || at >= len(s.run.open) {
		return errors.New("there is no open call for it to answer")
	}
	c := s.run.open[at]
	s.run.open = slices.Delete(s.run.open, at, at+1)
	s.run.waiting = false
	res.CallID, res.Tool = c.id, c.tool
	e.Kind, e.Round, e.Result = events.ToolResult, c.round, res
	return nil
}

// content takes an object, an array or a quoted string as JSON and all else as
// text.
func content(res *events.Result, text string) error {
	if text != "" && strings.ContainsRune(`{["`, rune(text[0])) && jsontext.Value(text).IsValid() {
		return json.Unmarshal([]byte(text), &res.Content)
	}
	b, err := json.Marshal(text)
	if err != nil {
		return err
	}
	res.Content = b
	return nil
}
