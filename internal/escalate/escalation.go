package escalate

import (
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Escalation is one escalation as it is kept while it is open. It holds names
// and figures, and text only where the options say so.
type Escalation struct {
	ID       string    `json:"id"` // of its control
	Tenant   string    `json:"tenant"`
	Agent    string    `json:"agent"`
	Task     string    `json:"task"`
	Run      string    `json:"run"`
	Detector string    `json:"detector"`
	Incident string    `json:"incident"`
	Rung     int       `json:"rung"`
	Count    int       `json:"count"`
	Since    int       `json:"since_round"`
	Round    int       `json:"round"`
	Time     time.Time `json:"time"`
	Policy   string    `json:"policy"`
	Summary  string    `json:"summary,omitempty"` // sanitised, bounded; empty with None

	Partition int    `json:"partition"`
	Stream    int64  `json:"stream"` // creation of the event stream in ms
	Seq       uint64 `json:"seq"`    // stream position of the cause
	LogSeq    uint64 `json:"log_seq"`

	Old     bool      `json:"old,omitempty"`     // logged before anybody followed: said only while it is open
	Webhook Delivery  `json:"webhook,omitempty"` // empty where there was none to tell
	Noticed time.Time `json:"noticed"`
}

// Delivery is how far the webhook of an escalation is.
type Delivery string

const (
	Pending Delivery = "pending"
	Sent    Delivery = "sent"
	GivenUp Delivery = "given_up"
)

// Bounds of text that leaves, in runes.
const (
	maxLine    = 400
	maxSummary = 2400
)

// read returns the escalation that a record of a decision log is, false where it
// is none, or none that a trusted key signed for that worker's subject.
func read(r *natsbus.Record, p int, trusted actions.KeyRing, text Text) (Escalation, bool) {
	parts := strings.Split(r.Subject, ".")
	if len(parts) != 6 {
		return Escalation{}, false
	}
	live := events.ControlSubject(parts[3], parts[4], parts[5])
	if trusted.Verify(actions.DomainControl, live, r.Data, r.Header.Get(actions.SignatureHeader)) != nil {
		return Escalation{}, false
	}
	c, err := actions.DecodeControl(r.Data)
	switch {
	case err != nil, c.Kind != actions.Escalate, c.Reason != actions.Acted, !events.ValidName(c.ID),
		c.Tenant != parts[3], c.Agent != parts[4], c.Run != parts[5]:
		return Escalation{}, false
	}
	e := Escalation{
		ID: c.ID, Tenant: c.Tenant, Agent: c.Agent, Task: c.Task, Run: c.Run,
		Detector: c.Detector, Incident: c.Incident, Rung: c.Rung, Count: c.Evidence.Count, Since: c.Evidence.SinceRound,
		Round: c.Round, Time: c.Time.UTC(), Policy: c.Policy,
		Partition: p, Stream: c.At.Stream, Seq: c.At.Seq, LogSeq: r.Seq,
	}
	if text == Excerpt {
		e.Summary = lines(c.Summary)
	}
	return e, true
}

// lines sanitises a text line by line, within bounds.
func lines(s string) string {
	var out []string
	left := maxSummary
	for l := range strings.SplitSeq(s, "\n") {
		l = actions.Sanitise(l, min(maxLine, left))
		if left -= len([]rune(l)) + 1; l != "" {
			out = append(out, l)
		}
		if left <= 0 {
			break
		}
	}
	return strings.Join(out, "\n")
}
