package events

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// wire is the message before its kind is known: the bodies stay spans, so that
// only the one that counts is decoded. Pointers tell absent from zero.
type wire struct {
	V      *int64    `json:"v"`
	ID     string    `json:"id"`
	Kind   string    `json:"kind"`
	Tenant string    `json:"tenant"`
	Agent  string    `json:"agent"`
	Task   string    `json:"task"`
	Run    string    `json:"run"`
	Parent string    `json:"parent"`
	Seq    *uint64   `json:"seq"`
	Time   time.Time `json:"time"`
	Stored time.Time `json:"stored"`
	Round  *int64    `json:"round"`
	Origin string    `json:"origin"`

	Start    span `json:"start"`
	Turn     span `json:"turn"`
	Call     span `json:"call"`
	Result   span `json:"result"`
	Message  span `json:"message"`
	End      span `json:"end"`
	Ack      span `json:"ack"`
	Operator span `json:"operator"`
	Policy   span `json:"policy"`

	StreamSeq uint64 `json:"stream_seq"`
	Partition *int   `json:"partition"`
}

// span is where a value stands in the message; the zero span means absent.
type span struct{ from, to int64 }

func (s span) of(data []byte) []byte { return data[s.from:s.to] }

// UnmarshalJSONFrom notes the place of the value, which it only checks for
// being well-formed.
func (s *span) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	s.to = dec.InputOffset()
	s.from = s.to - int64(len(v))
	return nil
}

// envelope returns the event without its body. Version and kind come first:
// nothing else can be judged without them.
func (w *wire) envelope() (Event, *Reject) {
	if w.V == nil {
		return Event{}, missing("v")
	}
	if *w.V != Version {
		return Event{}, wrongVersion()
	}
	if w.Kind == "" {
		return Event{}, missing("kind")
	}
	kind, ok := kindOf(w.Kind)
	if !ok {
		return Event{}, unknownKind()
	}
	e := Event{
		V: Version, ID: w.ID, Kind: kind, Time: w.Time, Stored: w.Stored,
		StreamSeq: w.StreamSeq, Partition: w.Partition,
	}
	if kind.Ours() {
		return e, nil
	}
	e.Tenant, e.Agent, e.Task, e.Run, e.Parent = w.Tenant, w.Agent, w.Task, w.Run, w.Parent
	e.Origin = Origin(w.Origin)
	if w.Seq != nil {
		e.Seq = *w.Seq
	} else if kind != RunStart {
		return Event{}, missing("seq")
	}
	if !kind.InRound() {
		return e, nil
	}
	if w.Round == nil {
		return Event{}, missing("round")
	}
	if *w.Round < 1 || *w.Round > MaxRound {
		return Event{}, badRound()
	}
	e.Round = int(*w.Round)
	return e, nil
}

// kindOf returns the constant for a name, so that an event holds on to no copy of it.
func kindOf(name string) (Kind, bool) {
	kinds := [...]Kind{ToolCall, ToolResult, TurnKind, Said, RunStart, RunEnd, ControlAck, Tick, OperatorAct, PolicyChange}
	i := slices.Index(kinds[:], Kind(name))
	if i < 0 {
		return "", false
	}
	return kinds[i], true
}

// normalise fills defaults and brings what means the same into one form.
func (e *Event) normalise() {
	e.Time, e.Stored = e.Time.UTC(), e.Stored.UTC()
	if !e.Kind.Ours() {
		e.Tenant = orElse(e.Tenant, DefaultTenant)
		e.Agent = orElse(e.Agent, DefaultAgent)
		e.Task = orElse(e.Task, e.Run)
		e.Origin = orElse(e.Origin, FromAgent)
	}
	switch {
	case e.Start != nil && len(e.Start.Tools) == 0:
		e.Start.Tools = nil
	case e.Turn != nil:
		e.Turn.normalise()
	case e.End != nil && e.End.Blocked != nil && len(e.End.Blocked.Attempted) == 0:
		e.End.Blocked.Attempted = nil
	}
}

func (t *Turn) normalise() {
	if string(t.State) == "null" {
		t.State = nil
	}
	if len(t.Asks) == 0 {
		t.Asks = nil
	}
	if t.CostUSD != nil && *t.CostUSD == 0 {
		*t.CostUSD = 0 // minus zero as well
	}
}

func orElse[T ~string](s, fallback T) T {
	if s == "" {
		return fallback
	}
	return s
}
