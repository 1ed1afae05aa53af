package fleet

import (
	"time"

	"github.com/loopwatch/loopwatch/internal/processor"
	"github.com/loopwatch/loopwatch/internal/timeline"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Run is one run as operators see it.
type Run struct {
	Tenant    string  `json:"tenant"`
	Agent     string  `json:"agent"`
	Task      string  `json:"task"`
	Run       string  `json:"run"`
	Parent    string  `json:"parent,omitempty"`
	Partition int     `json:"partition"`
	Phase     string  `json:"phase"`            // live, ended or lost
	Status    string  `json:"status,omitempty"` // how it ended
	Halted    bool    `json:"halted"`
	Awaiting  bool    `json:"awaiting,omitempty"` // halted for a finding, and no person has answered
	Turns     int     `json:"turns"`
	Calls     int     `json:"calls"`
	CostUSD   float64 `json:"cost_usd"`
	Unpriced  int     `json:"unpriced_turns,omitempty"`
	Gaps      uint64  `json:"gaps,omitempty"`     // events never seen
	Detector  string  `json:"detector,omitempty"` // that acted first
	Controls  int     `json:"controls"`
	Withheld  uint64  `json:"withheld"`
	Unacked   int     `json:"unacked"`

	LastEvent time.Time `json:"last_event"`
	Halt      *HaltInfo `json:"halt,omitempty"` // why it is halted
}

// Detail is a run with what is remembered of it.
type Detail struct {
	Run
	Model     string     `json:"model,omitempty"`
	Incidents []Incident `json:"incidents"`
	Steps     []Step     `json:"steps"`                 // last calls, oldest first
	Resumed   uint64     `json:"resumed_seq,omitempty"` // stream position of the operator's act that resumed it by name, 0 for none
	Truncated bool       `json:"truncated"`             // more distinct calls than the window remembers
}

// HaltInfo says why a run is halted.
type HaltInfo struct {
	Control  string `json:"control"`
	Incident string `json:"incident"`
	Detector string `json:"detector"`
	Reason   string `json:"reason,omitempty"`
	By       string `json:"by,omitempty"`
	From     string `json:"from_run,omitempty"` // another run, with which it was halted

	Until time.Time `json:"until,omitzero"` // it lapses then by itself
}

// Incident is one loop and how far its ladder went.
type Incident struct {
	ID       string `json:"id"`
	Detector string `json:"detector"`
	Rung     int    `json:"rung"`
	Since    int    `json:"since_round"`
	Open     bool   `json:"open"`
	Reason   string `json:"reason"`
	Shadow   bool   `json:"shadow,omitempty"`
}

// Step is one call by position; equal calls have equal codes.
type Step struct {
	Round  int    `json:"round"`
	Code   string `json:"code"`
	Call   uint64 `json:"call_seq"`
	Answer uint64 `json:"answer_seq,omitempty"` // 0 where none is known
}

// page is the answer to a listing; More says that there are further runs
// behind the last.
type page struct {
	Instance   string `json:"instance"`
	Partitions []int  `json:"partitions"`
	Runs       []Run  `json:"runs"`
	More       bool   `json:"more"`
}

// details is the answer to a question about runs of one name.
type details struct {
	Instance   string   `json:"instance"`
	Partitions []int    `json:"partitions"`
	Runs       []Detail `json:"runs"`
}

// Standing is the answer about an instance.
type Standing struct {
	Instance   string             `json:"instance"`
	Version    string             `json:"version"`
	Sole       bool               `json:"sole,omitempty"` // brought the server and owns all of it, without leases
	Partitions []processor.Status `json:"partitions"`
	Blind      []string           `json:"blind,omitempty"` // why events of its partitions may go unwatched; none while all is well
}

// query selects runs; empty fields match all.
type query struct {
	Scope     events.Scope `json:"scope"`
	After     *state.RunID `json:"after,omitempty"`     // listing goes on behind this run
	Partition int          `json:"partition,omitempty"` // of the run After names
	Limit     int          `json:"limit,omitempty"`
	Phase     string       `json:"phase,omitempty"` // live, ended, lost, halted, awaiting
}

// Done is the answer to an act: where it is in force, and, of a resumption by
// name, how many runs this act resumed. Of two at once only the first did.
type Done struct {
	Event      string `json:"event"`
	Partitions []int  `json:"partitions"`
	Runs       int    `json:"runs"`
}

// runOf describes a run.
func runOf(p int, r *state.Run) Run {
	out := Run{
		Tenant: r.ID.Tenant, Agent: r.Agent, Task: r.ID.Task, Run: r.ID.Run, Parent: r.Parent, Partition: p,
		Phase: r.Phase.String(), Status: string(r.EndedAs), Halted: r.Ledger.Halt.Active(), Awaiting: r.Escalated(),
		Turns: r.Usage.Turns, Calls: r.Usage.Calls, CostUSD: r.Usage.CostUSD, Unpriced: r.Usage.Unpriced,
		Gaps: r.Seq.Gaps, Detector: r.Ledger.Fired, Controls: r.Ledger.Controls, Withheld: r.Ledger.Withheld,
		Unacked: len(r.Ledger.Unacked), LastEvent: time.UnixMilli(r.StoredMS).UTC(),
	}
	if h := r.Ledger.Halt; h.Active() {
		out.Halt = &HaltInfo{Control: h.Control, Incident: h.Incident, Detector: h.Detector, Reason: h.Reason, By: h.By}
		if h.FromRun != r.ID.Run {
			out.Halt.From = h.FromRun
		}
		if h.UntilMS != 0 {
			out.Halt.Until = time.UnixMilli(h.UntilMS).UTC()
		}
	}
	return out
}

// detailOf describes a run with what is remembered of it.
func detailOf(p int, r *state.Run) Detail {
	d := Detail{
		Run: runOf(p, r), Model: r.Model, Resumed: r.Ledger.Lifted, Truncated: r.Window.Truncated(),
		Incidents: []Incident{}, Steps: []Step{},
	}
	for i := range r.Ledger.Incidents {
		in := &r.Ledger.Incidents[i]
		d.Incidents = append(d.Incidents, Incident{
			ID: in.ID, Detector: in.Detector, Rung: in.Rung, Since: in.Since, Open: !in.Closed, Reason: in.Reason, Shadow: in.Shadow,
		})
	}
	answers := map[uint64]uint64{}
	for i := range r.Window.Steps.Len() {
		s := r.Window.Steps.Back(i)
		answers[s.Call.Seq] = s.Answer.Seq
	}
	codes := map[uint64]string{}
	for i := r.Window.Calls.Len() - 1; i >= 0; i-- {
		c := r.Window.Calls.Back(i)
		code, ok := codes[uint64(c.Key)]
		if !ok {
			code = timeline.Letters(len(codes))
			codes[uint64(c.Key)] = code
		}
		d.Steps = append(d.Steps, Step{Round: c.Round, Code: code, Call: c.Call.Seq, Answer: answers[c.Call.Seq]})
	}
	return d
}
