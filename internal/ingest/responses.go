package ingest

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// responses reads items of the OpenAI responses API: an array of them, an
// object with input, response objects with output, lines of all these, and the
// same in the envelopes of a rollout file.
type responses struct {
	*teller
	talk    *run // the conversation in hand
	line    *run // of items and responses that stand alone, one a line
	spoke   bool // the last item was the model's: the next of its own belong to the round
	compact bool // the context was compacted since the last round
}

// responsesHead is a request or response beside its input.
type responsesHead struct {
	Object       string     `json:"object"`
	Model        string     `json:"model"`
	Instructions value      `json:"instructions"`
	Input        value      `json:"input"`
	Type         string     `json:"type"` // of an item, that stands alone
	Output       value      `json:"output"`
	Usage        *usage     `json:"usage"`
	CreatedAt    value      `json:"created_at"`
	Tools        []chatTool `json:"tools"`
}

type responsesItem struct {
	Type      string `json:"type"`
	Role      string `json:"role"`
	Content   value  `json:"content"`
	ID        string `json:"id"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments value  `json:"arguments"`
	Input     value  `json:"input"`
	Action    value  `json:"action"`
	Queries   value  `json:"queries"`
	Code      value  `json:"code"`
	Output    value  `json:"output"`
	Error     value  `json:"error"`
	Timestamp value  `json:"timestamp"`
	Payload   value  `json:"payload"` // of an envelope
}

func (p *responses) take(r record) error {
	switch r.kind {
	case begin:
		var head responsesHead
		err := decode(r.raw, &head, r.at)
		p.open(&head)
		return err
	case item:
		return p.item(p.talk, r.raw, r.at, time.Time{})
	case end:
		var head responsesHead
		err := decode(r.raw, &head, r.at)
		return errors.Join(err, p.output(p.talk, &head, r.at))
	}
	var head responsesHead
	if err := decode(r.raw, &head, r.at); err != nil {
		return err
	}
	if p.line == nil {
		p.line = p.teller.talk()
		p.line.first.Model = head.Model
	}
	if head.Output.Kind() != '[' || head.Object != "response" && head.Type != "" {
		return p.item(p.line, r.raw, r.at, time.Time{})
	}
	heard := p.line.hear("user", str(head.Input), instant(head.CreatedAt))
	return errors.Join(heard, p.output(p.line, &head, r.at))
}

func (p *responses) finish() {}

func (p *responses) open(head *responsesHead) {
	p.talk, p.spoke, p.compact = p.teller.talk(), false, false
	p.talk.first = events.Start{Model: head.Model, Tools: chatHead{Tools: head.Tools}.tools()}
	_ = p.talk.hear("system", str(head.Instructions), time.Time{})
}

// output tells a response whole: all its items are one round.
func (p *responses) output(to *run, head *responsesHead, at where) error {
	if !present(head.Output) {
		return nil
	}
	var items []value
	if err := decode(head.Output, &items, at.in("output")); err != nil {
		return err
	}
	when := instant(head.CreatedAt)
	var said []string
	for _, raw := range items {
		var it responsesItem
		if decode(raw, &it, at) == nil && it.Type == "message" {
			text, _ := texts(it.Content)
			said = append(said, text)
		}
	}
	p.spoke = true
	turn := events.Turn{
		Text: strings.Join(said, "\n"), Model: head.Model, Compacted: p.compact,
		Usage: head.Usage.tokens(), CostUSD: head.Usage.cost(),
	}
	p.compact = false
	faults := []error{to.turn(turn, when)}
	for i, raw := range items {
		place := at.in("output").item(i)
		var it responsesItem
		err := decode(raw, &it, place)
		if err == nil && it.Type != "message" {
			err = p.act(to, &it, place, when)
		}
		faults = append(faults, err)
	}
	p.spoke = false
	return errors.Join(faults...)
}

func (p *responses) item(to *run, raw []byte, at where, when time.Time) error {
	var it responsesItem
	if err := decode(raw, &it, at); err != nil {
		return err
	}
	if t := instant(it.Timestamp); !t.IsZero() {
		when = t
	}
	if it.Payload != nil {
		if it.Type == "compacted" {
			p.compact = true
		}
		if it.Type != "response_item" {
			return nil
		}
		return p.item(to, it.Payload, at.in("payload"), when)
	}
	if it.Type == "message" || it.Type == "" && it.Role != "" {
		text, _ := texts(it.Content)
		switch it.Role {
		case "assistant":
			return p.speak(to, text, when)
		case "user":
			p.spoke = false
			return to.hear("user", text, when)
		case "":
			return flaw{at.in("role"), "want system, developer, user or assistant, got none"}
		}
		p.spoke = false
		return to.hear("system", text, when)
	}
	return p.act(to, &it, at, when)
}

// speak opens a round where none of the model's own items went before.
func (p *responses) speak(to *run, text string, when time.Time) error {
	if p.spoke && text == "" {
		return nil
	}
	p.spoke = true
	compacted := p.compact
	p.compact = false
	return to.turn(events.Turn{Text: text, Compacted: compacted}, when)
}

// act tells an item that is no message.
func (p *responses) act(to *run, it *responsesItem, at where, when time.Time) error {
	switch {
	case it.Type == "":
		return flaw{at.in("type"), "want the type of an item, got none"}
	case it.Type == "reasoning":
		return nil
	case strings.Contains(it.Type, "compaction"):
		p.compact = true
		return nil
	case strings.HasSuffix(it.Type, "_output"):
		p.spoke = false
		if it.CallID == "" {
			return flaw{at.in("call_id"), "want the id of a call, got none"}
		}
		return to.result(events.Result{CallID: it.CallID, Content: content(it.Output)}, when)
	case !strings.HasSuffix(it.Type, "_call"):
		return nil
	}
	tool := it.Name
	if tool == "" && it.Type != "function_call" && it.Type != "custom_tool_call" {
		tool = strings.TrimSuffix(it.Type, "_call")
	}
	id := cmp.Or(it.CallID, it.ID)
	spoken := p.speak(to, "", when)
	asked := to.ask(id, tool, firstOf(it.Arguments, it.Input, it.Action, it.Queries, it.Code), at.in("name"), when)
	if !present(it.Output) && !present(it.Error) || id == "" {
		return errors.Join(spoken, asked)
	}
	res := events.Result{CallID: id, Content: content(it.Output)} // executed by the provider
	if present(it.Error) {
		res.Error = failure(events.RawJSON(it.Error))
	}
	return errors.Join(spoken, asked, to.result(res, when))
}

func firstOf(all ...value) value {
	for _, v := range all {
		if present(v) {
			return v
		}
	}
	return nil
}
