package actions

import (
	"fmt"

	"github.com/go-json-experiment/json"
)

// Logged is what the decision log holds of one decision: the control of an
// acted one, the record of a withheld one.
type Logged struct {
	Control *Control // nil of a withheld decision
	Record  *Record  // nil of an acted one
}

// Logged completes a decision to what is logged of it at a position. texts is
// asked for acted decisions only.
func (p *Policy) Logged(d Decision, at Position, texts Texts) Logged {
	if d.Reason == Acted {
		c := p.Render(d, texts)
		c.At = at
		return Logged{Control: &c}
	}
	r := p.Record(d)
	r.At = at
	return Logged{Record: &r}
}

// At returns the position of the decision.
func (l Logged) At() Position {
	if l.Control != nil {
		return l.Control.At
	}
	return l.Record.At
}

// Identity tells decisions apart that stand at the same position: the id of a
// control, incident and reason of a record.
func (l Logged) Identity() string {
	if l.Control != nil {
		return l.Control.ID
	}
	return l.Record.Incident + "/" + string(l.Record.Reason)
}

// Encode returns the bytes that are stored and signed: the same for the same
// decision, always.
func (l Logged) Encode() ([]byte, error) {
	if l.Control != nil {
		return l.Control.Encode()
	}
	b, err := json.Marshal(l.Record)
	if err != nil {
		return nil, fmt.Errorf("encode record of incident %s: %w", l.Record.Incident, err)
	}
	return b, nil
}
