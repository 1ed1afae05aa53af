package ingest

import (
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// anthropic reads Anthropic messages: an array of them, an object that holds
// messages, lines of either, and message objects as the API answers them.
type anthropic struct {
	*teller
	talk *run
	line *run // of messages that stand alone, one a line
}

type anthropicHead struct {
	Model  string     `json:"model"`
	System value      `json:"system"`
	Tools  []chatTool `json:"tools"`
}

type anthropicMessage struct {
	ID        string `json:"id"`
	Role      string `json:"role"`
	Model     string `json:"model"`
	Content   value  `json:"content"`
	Usage     *usage `json:"usage"`
	Timestamp value  `json:"timestamp"`
}

// part is a content block.
type part struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Name      string `json:"name"`
	Input     value  `json:"input"`
	ToolUseID string `json:"tool_use_id"`
	Content   value  `json:"content"`
	IsError   bool   `json:"is_error"`
}

func (a *anthropic) take(r record) error {
	switch r.kind {
	case begin:
		var head anthropicHead
		err := decode(r.raw, &head, r.at)
		a.talk = a.teller.talk()
		a.talk.first = events.Start{Model: head.Model, Tools: chatHead{Tools: head.Tools}.tools()}
		system, _ := texts(head.System)
		return errors.Join(err, a.talk.hear("system", system, time.Time{}))
	case end:
		return nil
	case item:
		return a.message(a.talk, r)
	}
	if a.line == nil {
		a.line = a.teller.talk()
	}
	return a.message(a.line, r)
}

func (a *anthropic) finish() {}

func (a *anthropic) message(to *run, r record) error {
	var m anthropicMessage
	if err := decode(r.raw, &m, r.at); err != nil {
		return err
	}
	when := instant(m.Timestamp)
	switch m.Role {
	case "assistant":
		parts, err := split(m.Content, r.at.in("content"))
		text, _ := texts(m.Content)
		turned := to.turn(events.Turn{Text: text, Model: m.Model, Usage: m.Usage.tokens(), CostUSD: m.Usage.cost()}, when)
		return errors.Join(err, turned, uses(to, parts, r.at.in("content"), when))
	case "user":
		return hearUser(to, m.Content, r.at.in("content"), when)
	case "system":
		text, _ := texts(m.Content)
		return to.hear("system", text, when)
	}
	return flaw{r.at.in("role"), "want user or assistant"}
}

// split reads the blocks of a content; a text has none.
func split(content value, at where) ([]part, error) {
	if !present(content) || content.Kind() == '"' {
		return nil, nil
	}
	var raw []value
	if err := decode(content, &raw, at); err != nil {
		return nil, err
	}
	parts, faults := make([]part, len(raw)), make([]error, len(raw))
	for i, v := range raw {
		if v.Kind() != '"' {
			faults[i] = decode(v, &parts[i], at.item(i))
		}
	}
	return parts, errors.Join(faults...)
}

// uses tells the calls of a response, and the results of those that the
// provider executed itself.
func uses(to *run, parts []part, at where, when time.Time) error {
	var faults []error
	for i, p := range parts {
		faults = append(faults, use(to, p, at.item(i), when))
	}
	return errors.Join(faults...)
}

func use(to *run, p part, at where, when time.Time) error {
	switch {
	case p.Type == "tool_use", p.Type == "server_tool_use", p.Type == "mcp_tool_use":
		return to.ask(p.ID, p.Name, p.Input, at.in("name"), when)
	case strings.HasSuffix(p.Type, "tool_result"):
		return answer(to, p, at, when, 0)
	}
	return nil
}

// hearUser tells the results in a user's message, then its words.
func hearUser(to *run, said value, at where, when time.Time) error {
	parts, err := split(said, at)
	faults := []error{err}
	for i, p := range parts {
		if strings.HasSuffix(p.Type, "tool_result") {
			faults = append(faults, answer(to, p, at.item(i), when, 0))
		}
	}
	text, _ := texts(said)
	return errors.Join(append(faults, to.hear("user", text, when))...)
}

// answer tells one tool_result block.
func answer(to *run, p part, at where, when time.Time, took int64) error {
	if p.ToolUseID == "" {
		return flaw{at.in("tool_use_id"), "want the id of a call, got none"}
	}
	res := events.Result{CallID: p.ToolUseID, Content: content(p.Content), DurationMS: took}
	if p.IsError || providerError(p.Content) {
		res.Error = failure(res.Content)
	}
	return to.result(res, when)
}

// providerError reports whether a result is the error object that a tool of
// the provider answers with.
func providerError(content value) bool {
	var b struct {
		Type string `json:"type"`
	}
	return content.Kind() == '{' && json.Unmarshal(content, &b, lenient) == nil && strings.HasSuffix(b.Type, "_error")
}
