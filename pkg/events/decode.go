package events

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// DefaultLimit is the largest event in bytes where nothing else is configured.
const DefaultLimit = 256 << 10

// Decode reads one event from its wire form and fills the defaults of the
// contract: tenant, agent, task (the run) and origin. Unknown fields, and
// bodies of other kinds, are ignored; names are case-sensitive. A limit of 0
// means DefaultLimit. The error is always a *Reject; the event is then empty.
func Decode(data []byte, limit int) (Event, error) {
	var e Event
	if len(data) <= cmp.Or(max(limit, 0), DefaultLimit) {
		data = bytes.Clone(data) // which the event holds on to
	}
	err := new(Decoder).Decode(data, limit, &e)
	return e, err
}

func decode(data []byte, limit int) (Event, *Reject) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	if len(data) > limit {
		return Event{}, reject(ReasonTooLarge, "", fmt.Sprintf("%d bytes, the limit is %d", len(data), limit))
	}
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return Event{}, classify(data, err)
	}
	if w.V == nil && firstByte(data) != '{' { // null decodes into anything
		return Event{}, reject(ReasonNotObject, "", "want one JSON object")
	}
	e, rej := w.envelope()
	if rej != nil {
		return Event{}, rej
	}
	if rej := w.body(data, &e); rej != nil {
		return Event{}, rej
	}
	e.normalise()
	return e, e.validate()
}

// trusted is for values inside a message whose names are already checked for
// duplicates by the first pass over it.
var trusted = jsontext.AllowDuplicateNames(true)

// body decodes the one body that the kind asks for.
func (w *wire) body(data []byte, e *Event) *Reject {
	switch e.Kind {
	case RunStart:
		return open(data, w.Start, "start", &e.Start)
	case TurnKind:
		return open(data, w.Turn, "turn", &e.Turn)
	case ToolCall:
		return open(data, w.Call, "call", &e.Call)
	case ToolResult:
		return open(data, w.Result, "result", &e.Result)
	case Said:
		return open(data, w.Message, "message", &e.Message)
	case RunEnd:
		return open(data, w.End, "end", &e.End)
	case ControlAck:
		return open(data, w.Ack, "ack", &e.Ack)
	case OperatorAct:
		if rej := open(data, w.Operator, "operator", &e.Operator); rej != nil {
			return rej
		}
		return scopePresent(data, w.Operator)
	case PolicyChange:
		return open(data, w.Policy, "policy", &e.Policy)
	}
	return nil
}

func open[T any](data []byte, s span, field string, into **T) *Reject {
	raw := s.of(data)
	if len(raw) == 0 || raw[0] == 'n' {
		return missing(field)
	}
	body := new(T)
	if err := json.Unmarshal(raw, body, trusted); err != nil {
		return mistyped(field, err)
	}
	*into = body
	return nil
}

// scopePresent refuses an act without a scope: {} means everything, and that
// must have been written down.
func scopePresent(data []byte, operator span) *Reject {
	var probe struct {
		Scope *struct{} `json:"scope"`
	}
	if err := json.Unmarshal(operator.of(data), &probe, trusted); err != nil || probe.Scope == nil {
		return missing("operator.scope")
	}
	return nil
}
