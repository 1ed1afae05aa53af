package replay

import (
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// Line is one decision as `loopwatch replay` prints it and as the decision log
// can be compared with it.
type Line struct {
	Run      string         `json:"run"`
	Event    string         `json:"event"`
	Seq      uint64         `json:"seq"`
	Round    int            `json:"round"`
	Detector string         `json:"detector"`
	Kind     actions.Kind   `json:"kind,omitempty"` // present when acted or shadow
	Reason   actions.Reason `json:"reason"`
	Incident string         `json:"incident"`
	Rung     int            `json:"rung"`
	Summary  string         `json:"summary"`
	Evidence actions.Proof  `json:"evidence"`
}

func lineOf(l actions.Logged) Line {
	if c := l.Control; c != nil {
		return Line{
			Run: c.Run, Event: c.Event, Seq: c.Seq, Round: c.Round, Detector: c.Detector, Kind: c.Kind,
			Reason: c.Reason, Incident: c.Incident, Rung: c.Rung, Summary: c.Summary, Evidence: c.Evidence,
		}
	}
	r := l.Record
	return Line{
		Run: r.Run, Event: r.Event, Seq: r.Seq, Round: r.Round, Detector: r.Detector, Kind: r.Kind,
		Reason: r.Reason, Incident: r.Incident, Rung: r.Rung, Summary: r.Summary, Evidence: r.Evidence,
	}
}
