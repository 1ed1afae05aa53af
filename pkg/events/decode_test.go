package events_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func decode(t testing.TB, line string) events.Event {
	t.Helper()
	e, err := events.Decode([]byte(line), 0)
	if err != nil {
		t.Fatalf("decode %s: %v", line, err)
	}
	return e
}

func ptr[T any](v T) *T { return &v }

// everyField is what the full examples say.
func everyField() []events.Event {
	at := func(s, ns int) time.Time { return time.Date(2026, 1, 5, 9, 0, s, ns, time.UTC) }
	mine := func(kind events.Kind, id string, seq uint64, round int, when time.Time) events.Event {
		return events.Event{
			V: 1, ID: "01JGTZ5X0Q8M3V9K7R2B4N6D" + id, Kind: kind, Tenant: "shop", Agent: "support", Task: "ticket-7",
			Run: "ticket-7-a", Seq: seq, Round: round, Time: when, Origin: events.FromAgent,
		}
	}
	start := mine(events.RunStart, "01", 1, 0, at(1, 250e6))
	start.Parent = "root-1"
	start.Start = &events.Start{
		Attempt: 2, Model: "m1", Goal: "Where is my parcel?",
		Tools: []events.Tool{
			{Name: "track_parcel", Effect: events.EffectRead, Polls: true}, {Name: "refund", Effect: events.EffectWrite}, {Name: "note"},
		},
		Limits: events.Limits{MaxTurns: 40, MaxCostUSD: 2.5, MaxWallClockMS: 600000, MaxTokens: 100000},
	}
	turn := mine(events.TurnKind, "02", 2, 1, at(2, 0))
	turn.Turn = &events.Turn{
		Text: "I look it up.", Model: "m1", Usage: &events.Usage{InputTokens: 900, OutputTokens: 30}, CostUSD: ptr(0.0021),
		State: events.RawJSON(`{"step":1}`), StateHash: "5f1c", StepsCompleted: ptr(0), Asks: []string{"order_id"},
		Known: events.Names{"email"}, Compacted: true,
	}
	call := mine(events.ToolCall, "03", 3, 1, at(3, 1))
	call.Call = &events.Call{
		ID: "c1", Tool: "track_parcel", Args: events.RawJSON(`{"exact":9007199254740993,"tracking_number":"ZX-1"}`), TimeoutMS: 5000,
	}
	result := mine(events.ToolResult, "04", 4, 1, at(4, 0))
	result.Stored = at(5, 0)
	result.Result = &events.Result{
		CallID: "c1", Tool: "track_parcel", Content: events.RawJSON(`{"scans":[]}`), ContentSHA: "9a3e", Truncated: true,
		Error:   &events.Error{Message: "no scans recorded", Code: "404", Retryable: true},
		Changed: ptr(false), DurationMS: 120, Replayed: true,
	}
	said := mine(events.Said, "05", 5, 0, at(5, 0))
	said.Origin = events.FromLoopwatch
	said.Message = &events.Message{Role: "assistant", To: "root-1", Text: "No scans yet."}
	end := mine(events.RunEnd, "06", 6, 0, at(6, 0))
	end.End = &events.End{Status: events.Blocked, Reason: "no scans", Blocked: &events.Blocker{
		Attempted: []string{"track_parcel"}, Blocker: "the carrier has no scans", Needs: "a person at the carrier",
	}}
	ack := mine(events.ControlAck, "07", 7, 0, at(7, 0))
	ack.Ack = &events.Ack{Control: "ctl_1", Outcome: events.Applied, Detail: "in round 2"}
	tick := events.Event{
		V: 1, ID: "01JGTZ5X0Q8M3V9K7R2B4N6D08", Kind: events.Tick, Time: at(8, 0), Stored: at(8, 0), StreamSeq: 17, Partition: ptr(3),
	}
	operator := events.Event{V: 1, ID: "01JGTZ5X0Q8M3V9K7R2B4N6D09", Kind: events.OperatorAct, Time: at(9, 0), Operator: &events.Operator{
		Action: "halt", Scope: events.Scope{Tenant: "shop", Agent: "support", Task: "ticket-7", Run: "ticket-7-a"},
		For: "2h", Add: events.Limits{MaxTurns: 10}, Note: "look first", Reason: "runs away", By: "ops", Sig: "k1.c2ln",
	}}
	policy := events.Event{V: 1, ID: "01JGTZ5X0Q8M3V9K7R2B4N6D10", Kind: events.PolicyChange, Time: at(10, 0), Policy: &events.Policy{
		Name: "default", Digest: "9f3c", YAML: "repeat:\n  mode: enforce\n",
	}}
	return []events.Event{start, turn, call, result, said, end, ack, tick, operator, policy}
}

func TestDecodeReadsEveryField(t *testing.T) {
	for _, want := range everyField() {
		t.Run(string(want.Kind), func(t *testing.T) {
			if diff := cmp.Diff(want, decode(t, full(t, want.Kind))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeFillsDefaults(t *testing.T) {
	e := decode(t, `{"v":1,"id":"a","kind":"run_start","run":"r1","time":"2026-01-05T09:00:11Z","start":{},"tenant":"","agent":null}`)
	if e.Tenant != "default" || e.Agent != "agent" || e.Task != "r1" || e.Origin != events.FromAgent {
		t.Errorf("defaults: tenant %q agent %q task %q origin %q", e.Tenant, e.Agent, e.Task, e.Origin)
	}
	if !e.Stored.IsZero() || e.Seq != 0 || e.Round != 0 || e.Partition != nil {
		t.Errorf("absent fields are not zero: %+v", e)
	}
}

func TestDecodeTolerates(t *testing.T) {
	call := full(t, events.ToolCall)
	tests := []struct{ name, path, raw string }{
		{"an unknown field", "zone", `{"a":[1,2,{"b":null}]}`},
		{"an unknown field in the body", "call.cached", `[true]`},
		{"a field that differs in case only", "SEQ", `"not the seq"`},
		{"a body of another kind", "turn", `{"text":"hello"}`},
		{"a body of another kind that is malformed", "turn", `"hello"`},
		{"a null parent", "parent", `null`},
		{"the default origin spelled out", "origin", `"agent"`},
	}
	want := decode(t, call)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(want, decode(t, edit(t, call, tt.path, tt.raw))); diff != "" {
				t.Errorf("the event changed (-want +got):\n%s", diff)
			}
		})
	}
}

// The zone a worker writes is no part of an event, wherever it is decoded.
func TestDecodeReadsTimesAsUTC(t *testing.T) {
	line := edit(t, full(t, events.ToolResult), "time", `"2026-01-05T11:00:04+02:00"`)
	e := decode(t, edit(t, line, "stored", `"2026-01-05T04:00:05-05:00"`))
	want := time.Date(2026, 1, 5, 9, 0, 4, 0, time.UTC)
	if e.Time != want || e.Stored != want.Add(time.Second) {
		t.Errorf("time %v, stored %v", e.Time, e.Stored)
	}
}

func TestDecodeIgnoresIdentityOfOurKinds(t *testing.T) {
	tick := full(t, events.Tick)
	e := decode(t, strings.Replace(tick, `"kind"`, `"tenant":"shop","run":"r1","seq":9,"round":2,"origin":"x","kind"`, 1))
	if diff := cmp.Diff(decode(t, tick), e); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDecodeKeepsRawJSON(t *testing.T) {
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	var keys strings.Builder
	for i := range 100_000 {
		keys.WriteString(`,"k` + strconv.Itoa(i) + `":0`)
	}
	tests := []struct{ name, raw, want string }{
		{"null", `null`, `null`},
		{"an integer past 2^53", `9007199254740993`, `9007199254740993`},
		{"a number past every float", `1e400`, `1e400`},
		{"minus zero", `-0`, `-0`},
		{"a trailing zero", `1.50`, `1.50`},
		{"an escaped NUL", `"a\u0000b"`, `"a\u0000b"`},
		{"needless escapes", `"\u0041\/"`, `"\u0041\/"`},
		{"white space between tokens", "{ \"a\" :\n\t[ 1 , \"b c\\\" \" ] }", `{"a":[1,"b c\" "]}`},
		{"empty", `{}`, `{}`},
		{"nesting", deep, deep},
		{"many names", `{"z":1` + keys.String() + `}`, `{"z":1` + keys.String() + `}`},
		{"text in other scripts", `"żółw 🐢"`, `"żółw 🐢"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			line := strings.Replace(full(t, events.ToolResult), `{"scans":[]}`, tt.raw, 1)
			e, err := events.Decode([]byte(line), 2<<20)
			if err != nil {
				t.Fatal(err)
			}
			if string(e.Result.Content) != tt.want {
				t.Errorf("content %.80q, want %.80q", e.Result.Content, tt.want)
			}
		})
	}
}

func TestDecodeOwnsItsMemory(t *testing.T) {
	for _, kind := range []events.Kind{events.ToolCall, events.ToolResult, events.TurnKind, events.RunStart} {
		data := []byte(full(t, kind))
		want := decode(t, string(data))
		got, err := events.Decode(data, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range data {
			data[i] = 'X'
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s changed with its input (-want +got):\n%s", kind, diff)
		}
	}
}

func TestDecodeKnown(t *testing.T) {
	tests := []struct {
		name, raw string
		want      events.Names
	}{
		{"object", `{"b":1,"a":{"x":1}}`, events.Names{"a", "b"}},
		{"object with fields not held", `{"a":null,"b":"","c":false,"d":0}`, events.Names{"c", "d"}},
		{"array", `["b","a","b"]`, events.Names{"a", "b"}},
		{"empty object", `{}`, nil},
		{"empty array", `[]`, nil},
		{"null", `null`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := decode(t, edit(t, full(t, events.TurnKind), "turn.known", tt.raw))
			if diff := cmp.Diff(tt.want, e.Turn.Known); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeError(t *testing.T) {
	tests := []struct {
		name, raw string
		want      *events.Error
	}{
		{"absent", ``, nil},
		{"null", `null`, nil},
		{"empty", `{}`, &events.Error{}},
		{"code as a string", `{"code":"E42"}`, &events.Error{Code: "E42"}},
		{"code as a number", `{"code":-5e1,"message":"m"}`, &events.Error{Code: "-5e1", Message: "m"}},
		{"null code", `{"code":null,"retryable":true}`, &events.Error{Retryable: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := decode(t, edit(t, full(t, events.ToolResult), "result.error", tt.raw))
			if diff := cmp.Diff(tt.want, e.Result.Error); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeState(t *testing.T) {
	for raw, want := range map[string]events.RawJSON{``: nil, `null`: nil, `0`: events.RawJSON(`0`), `""`: events.RawJSON(`""`)} {
		e := decode(t, edit(t, full(t, events.TurnKind), "turn.state", raw))
		if diff := cmp.Diff(want, e.Turn.State); diff != "" {
			t.Errorf("state %q (-want +got):\n%s", raw, diff)
		}
	}
}
