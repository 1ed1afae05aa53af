package timeline

import (
	"slices"
	"strconv"
	"time"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Entry is one event of the run with what it led to.
type Entry struct {
	Seq       uint64      `json:"seq,omitempty"` // within the run; absent in what is not the run's own
	StreamSeq uint64      `json:"stream_seq,omitempty"`
	Event     string      `json:"event"`
	Time      time.Time   `json:"time"`
	Round     int         `json:"round,omitempty"`
	Kind      events.Kind `json:"kind"`
	Code      string      `json:"code,omitempty"` // of a call and its result: A, B, …; equal calls have equal codes
	Text      string      `json:"text"`           // sanitised, one line, bounded
	Failed    bool        `json:"failed,omitempty"`
	Evidence  []int       `json:"evidence,omitempty"` // numbers of the incidents that rest on it
	Decisions []Decision  `json:"decisions,omitempty"`
}

// Decision is one finding's verdict and, where it was acted on, what became of
// it.
type Decision struct {
	Number   int            `json:"number"` // of its incident in this timeline, from 1
	Incident string         `json:"incident"`
	Detector string         `json:"detector"`
	Kind     actions.Kind   `json:"kind,omitempty"`
	Reason   actions.Reason `json:"reason"`
	Rung     int            `json:"rung"`
	Control  string         `json:"control,omitempty"`
	Outcome  events.Outcome `json:"outcome,omitempty"` // as the worker acknowledged it, empty for not yet
	Summary  string         `json:"summary"`
}

// Build joins the events and decisions of one run, both in the order of their
// stream. Events of ours are told where a decision names them as its cause. A
// decision whose event is not among those given is told at the end under no
// event. fold says which calls are equal.
func Build(told []events.Event, decided []replay.Line, fold *features.Extractor) []Entry {
	b := builder{
		fold: fold, codes: map[features.Hash]string{}, calls: map[callID]string{},
		incidents: map[string]int{}, causes: map[string][]Decision{}, evidence: map[string][]int{},
	}
	b.outcomes(told)
	b.decisions(decided)
	var out []Entry
	for i := range told {
		e := &told[i]
		if e.Kind == events.ControlAck || e.Kind.Ours() && b.causes[e.ID] == nil {
			continue
		}
		out = append(out, b.entry(e))
	}
	for _, l := range decided {
		if rest := b.causes[l.Event]; rest != nil {
			out = append(out, Entry{Event: l.Event, Seq: l.Seq, Round: l.Round, Text: "(no longer stored)", Decisions: rest})
			delete(b.causes, l.Event)
		}
	}
	return out
}

// Last returns the end of a timeline that holds at most n calls, with all that
// was said since; all of it for n of 0 or less.
func Last(entries []Entry, n int) []Entry {
	for i := len(entries) - 1; i >= 0 && n > 0; i-- {
		if entries[i].Kind != events.ToolCall {
			continue
		}
		if n--; n == 0 {
			return entries[i:]
		}
	}
	return entries
}

type callID struct {
	round int
	id    string
}

type builder struct {
	fold      *features.Extractor
	codes     map[features.Hash]string
	calls     map[callID]string // code of each call, for its result
	incidents map[string]int
	causes    map[string][]Decision // by event id
	evidence  map[string][]int
	acks      map[string]events.Outcome
}

func (b *builder) outcomes(told []events.Event) {
	b.acks = map[string]events.Outcome{}
	for i := range told {
		if a := told[i].Ack; a != nil {
			b.acks[a.Control] = a.Outcome
		}
	}
}

func (b *builder) decisions(decided []replay.Line) {
	for _, l := range decided {
		n := b.incidents[l.Incident]
		if n == 0 {
			n = len(b.incidents) + 1
			b.incidents[l.Incident] = n
		}
		b.causes[l.Event] = append(b.causes[l.Event], Decision{
			Number: n, Incident: l.Incident, Detector: l.Detector, Kind: l.Kind, Reason: l.Reason, Rung: l.Rung,
			Control: l.Control, Outcome: b.acks[l.Control], Summary: l.Summary,
		})
		for _, id := range l.Evidence.Events {
			if !slices.Contains(b.evidence[id], n) {
				b.evidence[id] = append(b.evidence[id], n)
			}
		}
	}
}

// entry takes an event's decisions with it, so that what is delivered twice is
// decided once.
func (b *builder) entry(e *events.Event) Entry {
	out := Entry{
		Seq: e.Seq, StreamSeq: e.StreamSeq, Event: e.ID, Time: e.Time, Round: e.Round, Kind: e.Kind,
		Code: b.code(e), Text: text(e), Failed: e.Result != nil && e.Result.Error != nil,
		Evidence: b.evidence[e.ID], Decisions: b.causes[e.ID],
	}
	delete(b.causes, e.ID)
	return out
}

// code returns the short code of a call, or of the call a result answers.
func (b *builder) code(e *events.Event) string {
	switch {
	case e.Call != nil:
		key := b.fold.Call(e.Call.Tool, e.Call.Args, e.Call.RawArgs, features.Unknown, false).Key
		code, ok := b.codes[key]
		if !ok {
			code = Letters(len(b.codes))
			b.codes[key] = code
		}
		b.calls[callID{e.Round, e.Call.ID}] = code
		return code
	case e.Result != nil:
		return b.calls[callID{e.Round, e.Result.CallID}]
	}
	return ""
}

// Letters numbers things A to Z, AA, AB and so on, from 0.
func Letters(n int) string {
	if n < 26 {
		return string(rune('A' + n))
	}
	return Letters(n/26-1) + Letters(n%26)
}

// price says what a turn cost, nothing where it is not known.
func price(usd *float64) string {
	if usd == nil {
		return ""
	}
	return " [" + strconv.FormatFloat(*usd, 'f', 4, 64) + " USD]"
}
