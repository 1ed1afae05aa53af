package actions

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// Message is a decision as it is logged: the control where it was acted on,
// else the record of why it was not. Of one that was not acted on, ID, Expires,
// Observation, Replay and EndStatus are empty, and Kind is what acting would
// have done, in shadow and in the holdout only.
type Message struct{ Control }

// Encode returns the message as it is stored and signed. The same message
// gives the same bytes.
func (m *Message) Encode() ([]byte, error) {
	if m.Reason == Acted {
		return m.Control.Encode()
	}
	c := &m.Control
	out, err := json.Marshal(record{
		V: c.V, Tenant: c.Tenant, Agent: c.Agent, Task: c.Task, Run: c.Run, Time: c.Time,
		Detector: c.Detector, Kind: c.Kind, Incident: c.Incident, Rung: c.Rung, Reason: c.Reason,
		Evidence: c.Evidence, Summary: c.Summary, Policy: c.Policy, Cause: c.Cause,
	})
	if err != nil {
		return nil, fmt.Errorf("encode record of %s: %w", c.Incident, err)
	}
	return out, nil
}

// Identity tells decisions at one position apart: the id of a control, else
// the incident with the reason.
func (m *Message) Identity() string {
	if m.ID != "" {
		return m.ID
	}
	return m.Incident + "/" + string(m.Reason)
}

// record is a withheld decision as it is logged: a control without what a
// worker would need.
type record struct {
	V        int       `json:"v"`
	Tenant   string    `json:"tenant"`
	Agent    string    `json:"agent"`
	Task     string    `json:"task"`
	Run      string    `json:"run"`
	Time     time.Time `json:"time"`
	Detector string    `json:"detector"`
	Kind     Kind      `json:"kind,omitempty"` // in shadow and in the holdout: what acting would have done
	Incident string    `json:"incident"`
	Rung     int       `json:"rung"`
	Reason   Reason    `json:"reason"`
	Evidence Proof     `json:"evidence"`
	Summary  string    `json:"summary"`
	Policy   string    `json:"policy"`

	Cause
}
