package ingest

import (
	"errors"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// chat reads OpenAI chat messages: an array of them, an object that holds
// messages, lines of either, and chat.completion objects among the lines.
type chat struct {
	*teller
	talk *run // the conversation in hand
	line *run // of messages that stand alone, one a line
}

// chatHead is what a request says beside its messages.
type chatHead struct {
	Model string     `json:"model"`
	Tools []chatTool `json:"tools"`
}

type chatTool struct {
	Name     string `json:"name"` // of other conventions
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

type chatMessage struct {
	Role         string     `json:"role"`
	Content      value      `json:"content"`
	Refusal      value      `json:"refusal"`
	ToolCalls    []chatCall `json:"tool_calls"`
	FunctionCall *chatFunc  `json:"function_call"`
	ToolCallID   string     `json:"tool_call_id"`
	Name         string     `json:"name"`

	// What loggers add.
	Model     string `json:"model"`
	Usage     *usage `json:"usage"`
	Timestamp value  `json:"timestamp"`
	Created   value  `json:"created_at"`
	IsError   bool   `json:"is_error"`
	Status    value  `json:"status"`

	// A completion that stands among the messages.
	Choices []struct {
		Message *chatMessage `json:"message"`
	} `json:"choices"`
	At value `json:"created"`
}

type chatCall struct {
	ID       string   `json:"id"`
	Function chatFunc `json:"function"`
	Custom   *struct {
		Name  string `json:"name"`
		Input value  `json:"input"`
	} `json:"custom"`
}

type chatFunc struct {
	Name      string `json:"name"`
	Arguments value  `json:"arguments"`
}

func (c *chat) take(r record) error {
	switch r.kind {
	case begin:
		var head chatHead
		err := decode(r.raw, &head, r.at)
		c.talk = c.teller.talk()
		c.talk.first = events.Start{Model: head.Model, Tools: head.tools()}
		return err
	case end:
		c.talk = nil
		return nil
	case item:
		return c.message(c.talk, r)
	}
	if c.line == nil {
		c.line = c.teller.talk()
	}
	return c.message(c.line, r)
}

func (c *chat) finish() {}

func (h chatHead) tools() []events.Tool {
	var out []events.Tool
	for _, t := range h.Tools {
		if t.Function.Name != "" {
			t.Name = t.Function.Name
		}
		if t.Name != "" {
			out = append(out, events.Tool{Name: t.Name})
		}
	}
	return out
}

func (c *chat) message(to *run, r record) error {
	var m chatMessage
	if err := decode(r.raw, &m, r.at); err != nil {
		return err
	}
	if len(m.Choices) > 0 && m.Choices[0].Message != nil {
		said := *m.Choices[0].Message
		said.Role, said.Model, said.Usage, said.Created = "assistant", m.Model, m.Usage, m.At
		m = said
		r.at = r.at.in("choices[0].message")
	}
	at := instant(m.Timestamp)
	if at.IsZero() {
		at = instant(m.Created)
	}
	switch m.Role {
	case "assistant":
		return c.assistant(to, &m, r.at, at)
	case "tool":
		return c.result(to, m.ToolCallID, &m, r.at, at)
	case "function":
		return c.result(to, legacyID(m.Name), &m, r.at, at)
	case "user":
		text, _ := texts(m.Content)
		return to.hear("user", text, at)
	case "":
		return flaw{r.at.in("role"), "want system, developer, user, assistant, tool or function"}
	}
	text, _ := texts(m.Content)
	return to.hear("system", text, at)
}

// assistant tells a response and its calls: one round.
func (c *chat) assistant(to *run, m *chatMessage, where where, at time.Time) error {
	text, _ := texts(m.Content)
	if text == "" {
		text = str(m.Refusal)
	}
	faults := []error{to.turn(events.Turn{Text: text, Model: m.Model, Usage: m.Usage.tokens(), CostUSD: m.Usage.cost()}, at)}
	for i, call := range m.ToolCalls {
		place := where.in("tool_calls").item(i).in("function.name")
		name, written := call.Function.Name, call.Function.Arguments
		if call.Custom != nil {
			name, written, place = call.Custom.Name, call.Custom.Input, where.in("tool_calls").item(i).in("custom.name")
		}
		faults = append(faults, to.ask(call.ID, name, written, place, at))
	}
	if f := m.FunctionCall; f != nil {
		faults = append(faults, to.ask(legacyID(f.Name), f.Name, f.Arguments, where.in("function_call.name"), at))
	}
	return errors.Join(faults...)
}

// legacyID is the id of a call whose result names its function only.
func legacyID(function string) string { return "function:" + function }

func (c *chat) result(to *run, id string, m *chatMessage, where where, at time.Time) error {
	if id == "" {
		return flaw{where.in("tool_call_id"), "want the id of a call, got none"}
	}
	res := events.Result{CallID: id, Tool: m.Name, Content: content(m.Content)}
	if m.IsError || str(m.Status) == "error" {
		res.Error = failure(res.Content)
	}
	return to.result(res, at)
}
