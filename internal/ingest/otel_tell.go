package ingest

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// moment is a span's beginning or end.
type moment struct {
	time time.Time
	rank int // where the times are equal: what must come first
	span *span
	tell func(*span) error
}

// finish tells all spans in the order of time.
func (o *otel) finish() {
	answers := map[string]value{}
	var all []moment
	for _, s := range o.list {
		s.run = o.runOf(s)
		for _, m := range s.input {
			for _, p := range m.Parts {
				if p.Type == "tool_call_response" {
					answers[s.run.id+"\x00"+p.ID] = firstOf(p.Response, p.Result)
				}
			}
		}
	}
	executed := map[string]bool{}
	for _, s := range o.list {
		switch {
		case s.asks():
			all = append(all, moment{s.start, 2, s, func(s *span) error { return s.heard(executed) }}, moment{s.end, 3, s, (*span).said})
		case s.op == "execute_tool":
			executed[s.run.id+"\x00"+s.callID] = true
			if !present(s.result) {
				s.result = answers[s.run.id+"\x00"+s.callID]
			}
			all = append(all, moment{s.start, 4, s, (*span).called}, moment{s.end, 1, s, (*span).returned})
		case s.op == "invoke_agent":
			all = append(all, moment{s.end, 5, s, (*span).ended})
		}
	}
	slices.SortStableFunc(all, func(a, b moment) int { return cmp.Or(a.time.Compare(b.time), cmp.Compare(a.rank, b.rank)) })
	for _, m := range all {
		if err := m.tell(m.span); err != nil {
			o.flawed(m.span.at, err)
		}
	}
}

// maxNesting is how many spans are climbed to find an agent's.
const maxNesting = 256

// around is the agent's span a span belongs to, itself included; nil for none.
func (o *otel) around(s *span) *span {
	for range maxNesting {
		if s == nil || s.op == "invoke_agent" {
			return s
		}
		s = o.spans[s.parent]
	}
	return nil
}

// runOf finds the run of a span. An agent inside another agent's span is its
// child; the outermost is named by the conversation where there is one.
func (o *otel) runOf(s *span) *run {
	agent := o.around(s)
	if agent == nil {
		return o.named(cmp.Or(s.talk, s.trace), s)
	}
	if agent.run != nil {
		return agent.run
	}
	seen := map[*span]bool{agent: true}
	chain := []*span{agent}
	for up := o.around(o.spans[agent.parent]); up != nil && !seen[up] && len(chain) < maxNesting; up = o.around(o.spans[up.parent]) {
		seen[up] = true
		chain = append(chain, up)
	}
	var parent *run
	for _, a := range slices.Backward(chain) {
		switch {
		case a.run != nil:
		case parent == nil:
			a.run = o.named(cmp.Or(a.talk, a.id), a)
		default:
			a.run = o.child(a.id, parent)
			a.run.agent = agentName(a.agent)
		}
		parent = a.run
	}
	return agent.run
}

func (o *otel) named(name string, s *span) *run {
	r := o.run(name)
	if r.agent == string(OTelGenAI) && s.agent != "" {
		r.agent = agentName(s.agent)
	}
	return r
}

// agentName is a foreign agent's name as an event carries it.
func agentName(name string) string {
	if name == "" {
		return events.DefaultAgent
	}
	return events.EscapeName(name)
}

// heard tells what a request added to the conversation: results that no span
// of their own told, and the user's words.
func (s *span) heard(executed map[string]bool) error {
	r := s.run
	if r.seq == 0 {
		r.first.Model, r.first.Tools = s.model, s.tools
		if err := r.hear("system", s.system, s.start); err != nil {
			return err
		}
	}
	var faults []error
	for _, m := range s.input {
		for _, p := range m.Parts {
			if p.Type != "tool_call_response" || executed[r.id+"\x00"+p.ID] {
				continue
			}
			if _, open := r.calls[p.ID]; open || p.ID != "" && r.round == 0 {
				faults = append(faults, r.result(events.Result{CallID: p.ID, Content: content(firstOf(p.Response, p.Result))}, s.start))
			}
		}
		if m.Role != "tool" {
			faults = append(faults, r.hear(cmp.Or(m.Role, "user"), m.text(), s.start))
		}
	}
	return errors.Join(faults...)
}

func (m message) text() string {
	var out []string
	for _, p := range m.Parts {
		if p.Type == "text" {
			out = append(out, str(p.Content))
		}
	}
	return strings.Join(out, "\n")
}

// said tells a model's response: one round with its calls.
func (s *span) said() error {
	if s.err != nil && len(s.output) == 0 {
		return nil // the model did not answer
	}
	var text []string
	for _, m := range s.output {
		if t := m.text(); t != "" {
			text = append(text, t)
		}
	}
	faults := []error{s.run.turn(events.Turn{Text: strings.Join(text, "\n"), Model: s.model, Usage: s.usage, CostUSD: s.cost}, s.end)}
	for i, m := range s.output {
		for j, p := range m.Parts {
			if p.Type == "tool_call" {
				at := s.at.in("gen_ai.output.messages").item(i).in("parts").item(j).in("name")
				faults = append(faults, s.run.ask(p.ID, p.Name, p.Arguments, at, s.end))
			}
		}
	}
	return errors.Join(faults...)
}

// called tells a tool's span as a call, where the response did not.
func (s *span) called() error {
	if _, ok := s.run.calls[s.callID]; ok {
		return nil
	}
	return s.run.ask(s.callID, s.tool, s.args, s.at.in("gen_ai.tool.name"), s.start)
}

func (s *span) returned() error {
	took := max(s.end.Sub(s.start).Milliseconds(), 0)
	return s.run.result(events.Result{CallID: s.callID, Tool: s.tool, Content: content(s.result), Error: s.err, DurationMS: took}, s.end)
}

// ended tells the end of an agent's span; one that is asked again later in the
// same conversation starts again.
func (s *span) ended() error {
	if s.err != nil {
		return s.run.close(events.Failed, s.err.Message, s.end)
	}
	return s.run.close(events.Done, "", s.end)
}
