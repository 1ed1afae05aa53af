package events_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Decoded events are valid; these can only be made by hand.
func TestValidateRefusesWhatIsBuiltByHand(t *testing.T) {
	tests := []struct {
		name   string
		kind   events.Kind
		harm   func(*events.Event)
		reason events.Reason
		field  string
	}{
		{"no version", events.ToolCall, func(e *events.Event) { e.V = 0 }, events.ReasonVersion, "v"},
		{"no kind", events.ToolCall, func(e *events.Event) { e.Kind = "" }, events.ReasonUnknownKind, "kind"},
		{"no time", events.ToolCall, func(e *events.Event) { e.Time = time.Time{} }, events.ReasonMissingField, "time"},
		{"no tenant", events.ToolCall, func(e *events.Event) { e.Tenant = "" }, events.ReasonBadName, "tenant"},
		{"no task", events.ToolCall, func(e *events.Event) { e.Task = "" }, events.ReasonBadName, "task"},
		{"no seq", events.ToolCall, func(e *events.Event) { e.Seq = 0 }, events.ReasonBadValue, "seq"},
		{"no round", events.ToolCall, func(e *events.Event) { e.Round = 0 }, events.ReasonBadValue, "round"},
		{"the body of another kind", events.ToolCall, func(e *events.Event) { e.Kind = events.ToolResult }, events.ReasonMissingField, "result"},
		{"a cost that is no number", events.TurnKind, func(e *events.Event) { *e.Turn.CostUSD = math.NaN() }, events.ReasonBadValue, "turn.cost_usd"},
		{"an endless cost", events.TurnKind, func(e *events.Event) { *e.Turn.CostUSD = math.Inf(1) }, events.ReasonBadValue, "turn.cost_usd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := decode(t, full(t, tt.kind))
			if err := e.Validate(); err != nil {
				t.Fatalf("the example is refused: %v", err)
			}
			tt.harm(&e)
			var rej *events.Reject
			if err := e.Validate(); !errors.As(err, &rej) || rej.Reason != tt.reason || rej.Field != tt.field {
				t.Errorf("got %v, want %s at %s", rej, tt.reason, tt.field)
			}
		})
	}
}

func TestValidateNeedsNoOrigin(t *testing.T) {
	e := decode(t, full(t, events.ToolCall))
	e.Origin = ""
	if err := e.Validate(); err != nil {
		t.Error(err)
	}
}

func TestKinds(t *testing.T) {
	tests := []struct {
		kind                 events.Kind
		known, ours, inRound bool
	}{
		{events.RunStart, true, false, false},
		{events.TurnKind, true, false, true},
		{events.ToolCall, true, false, true},
		{events.ToolResult, true, false, true},
		{events.Said, true, false, false},
		{events.RunEnd, true, false, false},
		{events.ControlAck, true, false, false},
		{events.Tick, true, true, false},
		{events.OperatorAct, true, true, false},
		{events.PolicyChange, true, true, false},
		{"", false, false, false},
		{"Turn", false, false, false},
	}
	for _, tt := range tests {
		if tt.kind.Known() != tt.known || tt.kind.Ours() != tt.ours || tt.kind.InRound() != tt.inRound {
			t.Errorf("%q: known %v, ours %v, in a round %v", tt.kind, tt.kind.Known(), tt.kind.Ours(), tt.kind.InRound())
		}
	}
}

func TestRawJSONInPlainEncodingJSON(t *testing.T) {
	for _, raw := range []events.RawJSON{nil, events.RawJSON(`{"a":1}`), events.RawJSON(`null`)} {
		data, err := raw.MarshalJSON()
		want := string(raw)
		if raw == nil {
			want = "null"
		}
		if err != nil || string(data) != want {
			t.Errorf("got %s (%v), want %s", data, err, want)
		}
		var back events.RawJSON
		if err := back.UnmarshalJSON([]byte(" " + want + "\n")); err != nil || string(back) != want {
			t.Errorf("back as %q (%v), want %s", back, err, want)
		}
	}
}
