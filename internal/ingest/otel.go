package ingest

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// maxHeld is how many bytes of spans are held: they stand in a file in the
// order in which they ended, and can be told only when all are known.
const maxHeld = 256 << 20

var errTooMany = errors.New("spans of over 256 MiB: split the file by trace")

// otel reads spans of the GenAI semantic conventions. A run is an agent's span
// with what it did, else a conversation, else a trace.
type otel struct {
	*teller
	spans map[string]*span // by trace and span
	list  []*span
	held  int
	full  bool
}

// span is what is kept of one.
type span struct {
	id, parent string // trace and span
	trace      string
	op         string
	agent      string
	talk       string // gen_ai.conversation.id
	start, end time.Time
	at         where
	err        *events.Error

	model         string
	usage         *events.Usage
	cost          *float64
	input, output []message
	system        string
	tools         []events.Tool

	tool, callID string
	args, result value

	run *run
}

// message is one of gen_ai.input.messages or gen_ai.output.messages.
type message struct {
	Role  string        `json:"role"`
	Parts []messagePart `json:"parts"`
}

type messagePart struct {
	Type      string `json:"type"`
	Content   value  `json:"content"`
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments value  `json:"arguments"`
	Response  value  `json:"response"`
	Result    value  `json:"result"` // an earlier name of response
}

func newOTel(t *teller) *otel { return &otel{teller: t, spans: map[string]*span{}} }

func (o *otel) take(r record) error {
	if r.kind == begin || r.kind == end {
		return nil
	}
	if r.kind == alone || r.member != "resourceSpans" {
		return flaw{r.at, "want an object with resourceSpans"}
	}
	var rs resourceSpans
	if err := decode(r.raw, &rs, r.at); err != nil {
		return err
	}
	if o.held += len(r.raw); o.held > maxHeld {
		if o.full {
			return nil
		}
		o.full = true
		return flaw{r.at, errTooMany.Error()}
	}
	service := rs.Resource.Attributes.text("service.name")
	var faults []error
	for i := range rs.ScopeSpans {
		for j := range rs.ScopeSpans[i].Spans {
			s := &rs.ScopeSpans[i].Spans[j]
			faults = append(faults, o.keep(s, service, r.at.in("scopeSpans").item(i).in("spans").item(j)))
		}
	}
	return errors.Join(faults...)
}

// keep notes a span; those of other matters count as the way to an ancestor.
func (o *otel) keep(s *otlpSpan, service string, at where) error {
	if s.SpanID == "" || s.TraceID == "" {
		return flaw{at, "want a traceId and a spanId"}
	}
	a := s.Attributes
	sp := &span{
		id: s.TraceID + "/" + s.SpanID, trace: s.TraceID, at: at, start: instant(s.Start), end: instant(s.End),
		op: a.text("gen_ai.operation.name"), agent: cmp.Or(a.text("gen_ai.agent.name"), service), talk: a.text("gen_ai.conversation.id"),
	}
	if s.ParentID != "" {
		sp.parent = s.TraceID + "/" + s.ParentID
	}
	if sp.end.IsZero() {
		sp.end = sp.start
	}
	if o.spans[sp.id] != nil {
		return nil // exported twice
	}
	o.spans[sp.id] = sp
	o.list = append(o.list, sp)
	if s.failed() {
		sp.err = &events.Error{Message: cmp.Or(s.Status.Message, exception(s.Events), "the span ended with an error"), Code: a.text("error.type")}
	}
	switch {
	case sp.asks():
		return sp.response(s)
	case sp.op == "execute_tool":
		sp.tool = cmp.Or(a.text("gen_ai.tool.name"), strings.TrimPrefix(s.Name, "execute_tool "))
		sp.callID = cmp.Or(a.text("gen_ai.tool.call.id"), sp.id)
		sp.args, sp.result = a.structured("gen_ai.tool.call.arguments"), a.structured("gen_ai.tool.call.result")
	}
	return nil
}

// asks reports whether a span is one request to a model.
func (s *span) asks() bool {
	return s.op == "chat" || s.op == "text_completion" || s.op == "generate_content"
}

// response reads what was said in a request to a model; it may stand on an
// event of the span. Of the input only what came after the model's last words
// is kept: the rest was told when it happened.
func (s *span) response(from *otlpSpan) error {
	a := from.Attributes
	for _, e := range from.Events {
		if e.Name == "gen_ai.client.inference.operation.details" {
			a = append(slices.Clone(a), e.Attributes...)
		}
	}
	s.model = a.text("gen_ai.response.model", "gen_ai.request.model")
	s.cost = amount(a.number("gen_ai.usage.cost"))
	u := usage{
		InputTokens:  a.number("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
		OutputTokens: a.number("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
	}
	u.InputDetails.Cached = of(a.number("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cached_tokens"))
	s.usage = u.tokens()
	s.system, _ = texts(a.structured("gen_ai.system_instructions"))
	var tools []chatTool
	if v := a.structured("gen_ai.tool.definitions"); present(v) && json.Unmarshal(v, &tools, lenient) == nil {
		s.tools = chatHead{Tools: tools}.tools()
	}
	var faults []error
	for _, m := range []struct {
		key  string
		into *[]message
	}{{"gen_ai.input.messages", &s.input}, {"gen_ai.output.messages", &s.output}} {
		if v := a.structured(m.key); present(v) {
			faults = append(faults, decode(v, m.into, s.at.in(m.key)))
		}
	}
	for i := len(s.input) - 1; i >= 0; i-- {
		if s.input[i].Role == "assistant" {
			s.input = slices.Clone(s.input[i+1:])
			break
		}
	}
	return errors.Join(faults...)
}

// exception is the message of the exception that a span recorded.
func exception(all []spanEvent) string {
	for _, e := range all {
		if e.Name == "exception" {
			return cmp.Or(e.Attributes.text("exception.message"), e.Attributes.text("exception.type"))
		}
	}
	return ""
}
