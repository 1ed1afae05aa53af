package replay

import (
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// Line is one decision as `loopwatch replay` prints it and as the decision log
// can be compared with it.
type Line struct {
	Run      string          `json:"run"`
	Event    string          `json:"event"`
	Seq      uint64          `json:"seq"`
	Round    int             `json:"round"`
	Detector string          `json:"detector"`
	Kind     actions.Kind    `json:"kind,omitempty"` // present when acted or shadow
	Reason   actions.Reason  `json:"reason"`
	Incident string          `json:"incident"`
	Rung     int             `json:"rung"`
	Variant  actions.Variant `json:"variant,omitempty"` // wording of an observation, where the policy chooses one
	Summary  string          `json:"summary"`
	Evidence actions.Proof   `json:"evidence"`

	Control string `json:"-"` // id of the control message, empty unless acted
}

// LineOf is a record of the decision log as replay prints it.
func LineOf(m actions.Message) Line {
	return Line{
		Control: m.ID, Run: m.Run, Event: m.Event, Seq: m.Seq, Round: m.Round, Detector: m.Detector, Kind: m.Kind,
		Reason: m.Reason, Incident: m.Incident, Rung: m.Rung, Variant: m.Variant, Summary: m.Summary, Evidence: m.Evidence,
	}
}
