package ingest

import (
	"errors"
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// sweAgent reads .traj files: the steps of the trajectory, or the history where
// that comes first or alone.
type sweAgent struct {
	*teller
	talk  *run
	from  string // the member that is told; the other says the same again
	asked string // call of the history that waits for its observation
}

type swe struct {
	Info struct {
		ExitStatus value `json:"exit_status"`
	} `json:"info"`
}

type sweStep struct {
	Action      string  `json:"action"`
	Observation value   `json:"observation"`
	Response    string  `json:"response"`
	Thought     string  `json:"thought"`
	Took        float64 `json:"execution_time"` // seconds
}

type sweHistory struct {
	Role        string     `json:"role"`
	Content     value      `json:"content"`
	Thought     string     `json:"thought"`
	Action      string     `json:"action"`
	MessageType string     `json:"message_type"`
	ToolCalls   []chatCall `json:"tool_calls"`
	ToolCallIDs []string   `json:"tool_call_ids"`
	IsDemo      bool       `json:"is_demo"`
}

func (s *sweAgent) take(r record) error {
	switch r.kind {
	case begin:
		s.talk, s.from, s.asked = s.teller.talk(), "", ""
		return nil
	case end:
		var d swe
		if err := decode(r.raw, &d, r.at); err != nil {
			return err
		}
		return s.end(str(d.Info.ExitStatus))
	case alone:
		return flaw{r.at, "want an object with a trajectory or a history"}
	}
	if s.from == "" {
		s.from = r.member
	}
	switch {
	case r.member != s.from:
		return nil
	case r.member == "trajectory":
		return s.step(r)
	}
	return s.told(r)
}

func (s *sweAgent) finish() {}

// end tells how the run ended, where the file says so.
func (s *sweAgent) end(status string) error {
	switch {
	case status == "":
		return nil
	case status == "submitted":
		return s.talk.close(events.Done, status, time.Time{})
	}
	return s.talk.close(events.Failed, status, time.Time{}) // a limit, or an error, with or without a patch
}

// step tells one step: a response, the command in it and what came back.
func (s *sweAgent) step(r record) error {
	var st sweStep
	if err := decode(r.raw, &st, r.at); err != nil {
		return err
	}
	text := st.Thought
	if text == "" {
		text = st.Response
	}
	turned := s.talk.turn(events.Turn{Text: text}, time.Time{})
	id, asked := s.command(st.Action)
	if id == "" {
		heard, _ := texts(st.Observation) // what the environment says to a response without a command
		return errors.Join(turned, s.talk.hear("system", heard, time.Time{}))
	}
	res := events.Result{CallID: id, Content: content(st.Observation), DurationMS: count(st.Took * 1000)}
	return errors.Join(turned, asked, s.talk.result(res, time.Time{}))
}

// command tells a command as a call; its tool is its first word, as the agent's
// own commands are named. No command has no id.
func (s *sweAgent) command(action string) (string, error) {
	words := strings.Fields(action)
	if len(words) == 0 {
		return "", nil
	}
	id := "s" + itoa(s.talk.round)
	args := events.RawJSON(append(append([]byte(`{"command":`), quoted(strings.TrimRight(action, "\n"))...), '}'))
	return id, s.talk.call(events.Call{ID: id, Tool: words[0], Args: args}, time.Time{})
}

// told tells an item of the history.
func (s *sweAgent) told(r record) error {
	var h sweHistory
	if err := decode(r.raw, &h, r.at); err != nil {
		return err
	}
	text, _ := texts(h.Content)
	switch {
	case h.IsDemo:
		return nil
	case h.Role == "assistant":
		return s.response(&h, text, r.at)
	case h.Role == "tool" && len(h.ToolCallIDs) == 0:
		return flaw{r.at.in("tool_call_ids"), "want the ids of calls, got none"}
	case h.Role == "tool":
		var faults []error
		for _, id := range h.ToolCallIDs {
			faults = append(faults, s.talk.result(events.Result{CallID: id, Content: content(h.Content)}, time.Time{}))
		}
		return errors.Join(faults...)
	case h.Role == "user" && s.asked != "":
		id := s.asked
		s.asked = ""
		return s.talk.result(events.Result{CallID: id, Content: content(h.Content)}, time.Time{})
	case h.Role == "user":
		return s.talk.hear("user", text, time.Time{})
	case h.Role == "system":
		return s.talk.hear("system", text, time.Time{})
	}
	return flaw{r.at.in("role"), "want system, user, assistant or tool"}
}

func (s *sweAgent) response(h *sweHistory, text string, at where) error {
	if h.Thought != "" {
		text = h.Thought
	}
	faults := []error{s.talk.turn(events.Turn{Text: text}, time.Time{})}
	s.asked = ""
	for i, c := range h.ToolCalls {
		faults = append(faults, s.talk.ask(c.ID, c.Function.Name, c.Function.Arguments, at.in("tool_calls").item(i).in("function.name"), time.Time{}))
	}
	if len(h.ToolCalls) == 0 {
		id, err := s.command(h.Action)
		s.asked = id
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}
