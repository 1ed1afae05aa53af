package events_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// rejection decodes and returns the reject, which has to be one.
func rejection(t testing.TB, line string, limit int) *events.Reject {
	t.Helper()
	e, err := events.Decode([]byte(line), limit)
	var rej *events.Reject
	if !errors.As(err, &rej) {
		t.Fatalf("want a *Reject, got %v and %+v", err, e)
	}
	if e.ID != "" || e.Kind != "" {
		t.Errorf("a rejected event is not empty: %+v", e)
	}
	return rej
}

// malformed messages: what stands around the event is wrong.
var malformed = []struct {
	name, line string
	reason     events.Reason
	field      string
}{
	{"empty", ``, events.ReasonNotJSON, ""},
	{"white space", " \n", events.ReasonNotJSON, ""},
	{"words", `hello`, events.ReasonNotJSON, ""},
	{"cut off", `{"v":1,"id":"x"`, events.ReasonNotJSON, ""},
	{"cut off after a wrong type", `{"v":1,"seq":"x"`, events.ReasonNotJSON, ""},
	{"two events", `{"v":1} {"v":1}`, events.ReasonNotJSON, ""},
	{"a byte order mark", "\ufeff{}", events.ReasonNotJSON, ""},
	{"single quotes", `{'v':1}`, events.ReasonNotJSON, ""},
	{"NaN", `{"v":NaN}`, events.ReasonNotJSON, "v"},
	{"a trailing comma", `{"v":1,}`, events.ReasonNotJSON, ""},
	{"a NUL byte", "{\"v\":1,\"id\":\"a\x00\"}", events.ReasonNotJSON, "id"},
	{"a line break in a string", "{\"v\":1,\"id\":\"a\nb\"}", events.ReasonNotJSON, "id"},
	{"array", `[{"v":1}]`, events.ReasonNotObject, ""},
	{"null", ` null`, events.ReasonNotObject, ""},
	{"string", `"{}"`, events.ReasonNotObject, ""},
	{"number", `1`, events.ReasonNotObject, ""},
	{"a name twice", `{"v":1,"id":"a","id":"b"}`, events.ReasonDuplicateKey, "id"},
	{"a name twice under another spelling", `{"v":1,"id":"a","\u0069d":"b"}`, events.ReasonDuplicateKey, "id"},
	{"a name twice in a body", `{"v":1,"call":{"id":"a","id":"a"}}`, events.ReasonDuplicateKey, "call.id"},
	{"a name twice deep in arguments", `{"v":1,"call":{"args":{"secret":{"word":1,"word":2}}}}`, events.ReasonDuplicateKey, "call.args"},
	{"a name twice in an unknown field", `{"v":1,"x":[{"a":1,"a":1}]}`, events.ReasonDuplicateKey, "x"},
	{"Latin-1", "{\"v\":1,\"id\":\"caf\xe9\"}", events.ReasonInvalidUTF8, "id"},
	{"an overlong encoding", "{\"v\":1,\"call\":{\"args\":[\"\xc0\xaf\"]}}", events.ReasonInvalidUTF8, "call.args"},
	{"half of a surrogate pair", `{"v":1,"call":{"raw_args":"\ud83d"}}`, events.ReasonInvalidUTF8, "call.raw_args"},
	{"bad bytes before a name twice", "{\"v\":1,\"id\":\"\xff\",\"v\":1}", events.ReasonInvalidUTF8, "id"},
	{"depth", `{"v":1,"call":{"args":` + strings.Repeat("[", events.MaxDepth-1) + strings.Repeat("]", events.MaxDepth-1) + `}}`, events.ReasonTooDeep, "call.args"},
	{"depth without an end", `{"v":1,"x":` + strings.Repeat(`[{"a":`, 100_000), events.ReasonTooDeep, "x"},
	{"brackets in a string are no depth", `{"v":1,"x":"` + strings.Repeat(`\"[`, 2*events.MaxDepth) + `"`, events.ReasonNotJSON, ""},
	{"a higher version", `{"v":2,"kind":"thought","seq":"x","time":7}`, events.ReasonVersion, "v"},
	{"version zero", `{"v":0}`, events.ReasonVersion, "v"},
	{"a fractional version", `{"v":1.5}`, events.ReasonVersion, "v"},
	{"a huge version", `{"v":1e400}`, events.ReasonVersion, "v"},
	{"no version", `{}`, events.ReasonMissingField, "v"},
	{"version as a string", `{"v":"1"}`, events.ReasonBadValue, "v"},
	{"no kind", `{"v":1}`, events.ReasonMissingField, "kind"},
	{"an unknown kind", `{"v":1,"kind":"thought"}`, events.ReasonUnknownKind, "kind"},
	{"an unknown kind with fields of its own", `{"v":1,"kind":"thought","time":7}`, events.ReasonUnknownKind, "kind"},
	{"a kind in other case", `{"v":1,"kind":"Turn"}`, events.ReasonUnknownKind, "kind"},
	{"kind as a number", `{"v":1,"kind":7}`, events.ReasonBadValue, "kind"},
}

func TestDecodeRejectsMalformed(t *testing.T) {
	for _, tt := range malformed {
		t.Run(tt.name, func(t *testing.T) {
			rej := rejection(t, tt.line, 1<<20)
			if rej.Reason != tt.reason || rej.Field != tt.field {
				t.Errorf("got %s at %q (%s), want %s at %q", rej.Reason, rej.Field, rej.Detail, tt.reason, tt.field)
			}
		})
	}
}

// misfits are good events with one field changed.
var misfits = []struct {
	name      string
	kind      events.Kind
	path, raw string
	reason    events.Reason
	field     string // the path where empty
}{
	{"id", events.Tick, "id", ``, events.ReasonMissingField, ""},
	{"empty id", events.TurnKind, "id", `""`, events.ReasonMissingField, ""},
	{"id with a line break", events.TurnKind, "id", `"a\r\nb"`, events.ReasonBadName, ""},
	{"id with a space", events.TurnKind, "id", `"a b"`, events.ReasonBadName, ""},
	{"long id", events.TurnKind, "id", `"` + strings.Repeat("x", 257) + `"`, events.ReasonBadName, ""},
	{"id as a number", events.TurnKind, "id", `7`, events.ReasonBadValue, ""},

	{"no run", events.TurnKind, "run", ``, events.ReasonMissingField, ""},
	{"empty run", events.TurnKind, "run", `""`, events.ReasonMissingField, ""},
	{"run with a dot", events.TurnKind, "run", `"a.b"`, events.ReasonBadName, ""},
	{"run with a wildcard", events.TurnKind, "run", `"*"`, events.ReasonBadName, ""},
	{"run with NUL", events.TurnKind, "run", `"a\u0000"`, events.ReasonBadName, ""},
	{"reserved run", events.TurnKind, "run", `"_a"`, events.ReasonBadName, ""},
	{"long run", events.TurnKind, "run", `"` + strings.Repeat("x", 129) + `"`, events.ReasonBadName, ""},
	{"reserved tenant", events.TurnKind, "tenant", `"_lw"`, events.ReasonBadName, ""},
	{"agent with a space", events.TurnKind, "agent", `"a b"`, events.ReasonBadName, ""},
	{"task in other letters", events.TurnKind, "task", `"żółw"`, events.ReasonBadName, ""},
	{"parent with a dot", events.RunStart, "parent", `"a.b"`, events.ReasonBadName, ""},
	{"own parent", events.RunStart, "parent", `"ticket-7-a"`, events.ReasonBadValue, ""},

	{"no time", events.TurnKind, "time", ``, events.ReasonMissingField, ""},
	{"no time on a tick", events.Tick, "time", `null`, events.ReasonMissingField, ""},
	{"time without zone", events.TurnKind, "time", `"2026-01-05T09:00:02"`, events.ReasonBadTime, ""},
	{"date only", events.TurnKind, "time", `"2026-01-05"`, events.ReasonBadTime, ""},
	{"Unix time", events.TurnKind, "time", `1767603602`, events.ReasonBadTime, ""},
	{"a day that is none", events.TurnKind, "time", `"2026-02-30T09:00:02Z"`, events.ReasonBadTime, ""},
	{"a year far ahead", events.TurnKind, "time", `"9999-12-31T23:59:59Z"`, events.ReasonBadTime, ""},
	{"a year before clocks", events.TurnKind, "time", `"0001-01-02T00:00:00Z"`, events.ReasonBadTime, ""},
	{"empty time", events.TurnKind, "time", `""`, events.ReasonBadTime, ""},
	{"stored without zone", events.ToolResult, "stored", `"2026-01-05T09:00:02"`, events.ReasonBadTime, ""},
	{"stored far ahead", events.ToolResult, "stored", `"2999-01-05T09:00:02Z"`, events.ReasonBadTime, ""},

	{"no seq", events.ToolCall, "seq", ``, events.ReasonMissingField, ""},
	{"seq 0 after the start", events.ToolCall, "seq", `0`, events.ReasonBadValue, ""},
	{"negative seq", events.RunStart, "seq", `-1`, events.ReasonBadValue, ""},
	{"fractional seq", events.ToolCall, "seq", `1.5`, events.ReasonBadValue, ""},
	{"seq past 2^53", events.ToolCall, "seq", `9007199254740993`, events.ReasonBadValue, ""},
	{"seq past 64 bits", events.ToolCall, "seq", `18446744073709551616`, events.ReasonBadValue, ""},
	{"seq as a string", events.ToolCall, "seq", `"3"`, events.ReasonBadValue, ""},
	{"no round", events.ToolResult, "round", ``, events.ReasonMissingField, ""},
	{"round 0", events.TurnKind, "round", `0`, events.ReasonBadValue, ""},
	{"negative round", events.ToolCall, "round", `-3`, events.ReasonBadValue, ""},
	{"huge round", events.ToolCall, "round", `2147483648`, events.ReasonBadValue, ""},
	{"unknown origin", events.ToolCall, "origin", `"user"`, events.ReasonBadValue, ""},
	{"negative partition", events.Tick, "partition", `-1`, events.ReasonBadValue, ""},
	{"huge partition", events.Tick, "partition", `1000`, events.ReasonBadValue, ""},
	{"negative stream_seq", events.Tick, "stream_seq", `-1`, events.ReasonBadValue, ""},

	{"no start", events.RunStart, "start", ``, events.ReasonMissingField, ""},
	{"null start", events.RunStart, "start", `null`, events.ReasonMissingField, ""},
	{"start as a list", events.RunStart, "start", `[]`, events.ReasonBadValue, ""},
	{"negative attempt", events.RunStart, "start.attempt", `-1`, events.ReasonBadValue, ""},
	{"tools as an object", events.RunStart, "start.tools", `{}`, events.ReasonBadValue, ""},
	{"tool without name", events.RunStart, "start.tools", `[{"name":"a"},{}]`, events.ReasonMissingField, "start.tools[1].name"},
	{"tool with an unknown effect", events.RunStart, "start.tools", `[{"name":"a","effect":"none"}]`, events.ReasonBadValue, "start.tools[0].effect"},
	{"tool with polls as a word", events.RunStart, "start.tools", `[{"name":"a","polls":"yes"}]`, events.ReasonBadValue, "start.tools[0].polls"},
	{"negative max_turns", events.RunStart, "start.limits.max_turns", `-1`, events.ReasonBadValue, ""},
	{"max_cost_usd past every float", events.RunStart, "start.limits.max_cost_usd", `1e400`, events.ReasonBadValue, ""},
	{"max_cost_usd past all money", events.RunStart, "start.limits.max_cost_usd", `1e10`, events.ReasonBadValue, ""},
	{"negative max_wall_clock_ms", events.RunStart, "start.limits.max_wall_clock_ms", `-1`, events.ReasonBadValue, ""},
	{"fractional max_tokens", events.RunStart, "start.limits.max_tokens", `1.5`, events.ReasonBadValue, ""},
	{"goal as a number", events.RunStart, "start.goal", `7`, events.ReasonBadValue, ""},

	{"no turn", events.TurnKind, "turn", ``, events.ReasonMissingField, ""},
	{"turn as a string", events.TurnKind, "turn", `"hello"`, events.ReasonBadValue, ""},
	{"negative cost", events.TurnKind, "turn.cost_usd", `-0.1`, events.ReasonBadValue, ""},
	{"cost as a string", events.TurnKind, "turn.cost_usd", `"0.1"`, events.ReasonBadValue, ""},
	{"negative tokens", events.TurnKind, "turn.usage.output_tokens", `-1`, events.ReasonBadValue, ""},
	{"tokens past 2^53", events.TurnKind, "turn.usage.input_tokens", `9007199254740992`, events.ReasonBadValue, ""},
	{"negative steps", events.TurnKind, "turn.steps_completed", `-1`, events.ReasonBadValue, ""},
	{"asks as a string", events.TurnKind, "turn.asks", `"order_id"`, events.ReasonBadValue, ""},
	{"asks a number", events.TurnKind, "turn.asks", `["a",7]`, events.ReasonBadValue, "turn.asks[1]"},
	{"known as a string", events.TurnKind, "turn.known", `"order_id"`, events.ReasonBadValue, ""},
	{"known with a number", events.TurnKind, "turn.known", `["a",7]`, events.ReasonBadValue, "turn.known[1]"},
	{"compacted as a number", events.TurnKind, "turn.compacted", `1`, events.ReasonBadValue, ""},

	{"no call", events.ToolCall, "call", ``, events.ReasonMissingField, ""},
	{"no call id", events.ToolCall, "call.id", ``, events.ReasonMissingField, ""},
	{"empty call id", events.ToolCall, "call.id", `""`, events.ReasonMissingField, ""},
	{"long call id", events.ToolCall, "call.id", `"` + strings.Repeat("x", 257) + `"`, events.ReasonBadValue, ""},
	{"no tool", events.ToolCall, "call.tool", ``, events.ReasonMissingField, ""},
	{"long tool", events.ToolCall, "call.tool", `"` + strings.Repeat("x", 257) + `"`, events.ReasonBadValue, ""},
	{"negative timeout", events.ToolCall, "call.timeout_ms", `-1`, events.ReasonBadValue, ""},
	{"raw_args as an object", events.ToolCall, "call.raw_args", `{}`, events.ReasonBadValue, ""},

	{"no result", events.ToolResult, "result", ``, events.ReasonMissingField, ""},
	{"no call_id", events.ToolResult, "result.call_id", ``, events.ReasonMissingField, ""},
	{"long call_id", events.ToolResult, "result.call_id", `"` + strings.Repeat("x", 257) + `"`, events.ReasonBadValue, ""},
	{"error as a string", events.ToolResult, "result.error", `"timeout"`, events.ReasonBadValue, ""},
	{"error code as a list", events.ToolResult, "result.error.code", `[404]`, events.ReasonBadValue, ""},
	{"error message as a number", events.ToolResult, "result.error.message", `1`, events.ReasonBadValue, ""},
	{"changed as a word", events.ToolResult, "result.changed", `"yes"`, events.ReasonBadValue, ""},
	{"negative duration", events.ToolResult, "result.duration_ms", `-1`, events.ReasonBadValue, ""},

	{"no message", events.Said, "message", ``, events.ReasonMissingField, ""},
	{"no role", events.Said, "message.role", ``, events.ReasonMissingField, ""},
	{"text as a list", events.Said, "message.text", `[]`, events.ReasonBadValue, ""},

	{"no end", events.RunEnd, "end", ``, events.ReasonMissingField, ""},
	{"no status", events.RunEnd, "end.status", ``, events.ReasonMissingField, ""},
	{"unknown status", events.RunEnd, "end.status", `"success"`, events.ReasonBadValue, ""},
	{"attempted as a string", events.RunEnd, "end.blocked.attempted", `"all"`, events.ReasonBadValue, ""},

	{"no ack", events.ControlAck, "ack", ``, events.ReasonMissingField, ""},
	{"no control", events.ControlAck, "ack.control", ``, events.ReasonMissingField, ""},
	{"no outcome", events.ControlAck, "ack.outcome", ``, events.ReasonMissingField, ""},
	{"unknown outcome", events.ControlAck, "ack.outcome", `"seen"`, events.ReasonBadValue, ""},

	{"no operator", events.OperatorAct, "operator", ``, events.ReasonMissingField, ""},
	{"no action", events.OperatorAct, "operator.action", ``, events.ReasonMissingField, ""},
	{"unknown action", events.OperatorAct, "operator.action", `"pause"`, events.ReasonBadValue, ""},
	{"no scope, which is not all", events.OperatorAct, "operator.scope", ``, events.ReasonMissingField, ""},
	{"null scope", events.OperatorAct, "operator.scope", `null`, events.ReasonMissingField, ""},
	{"scope with a wildcard", events.OperatorAct, "operator.scope.task", `"*"`, events.ReasonBadName, ""},
	{"for without unit", events.OperatorAct, "operator.for", `"2"`, events.ReasonBadValue, ""},
	{"negative for", events.OperatorAct, "operator.for", `"-2h"`, events.ReasonBadValue, ""},
	{"negative budget", events.OperatorAct, "operator.add.max_turns", `-1`, events.ReasonBadValue, ""},

	{"no policy", events.PolicyChange, "policy", ``, events.ReasonMissingField, ""},
	{"no digest", events.PolicyChange, "policy.digest", ``, events.ReasonMissingField, ""},
	{"no name", events.PolicyChange, "policy.name", ``, events.ReasonMissingField, ""},
	{"no yaml", events.PolicyChange, "policy.yaml", ``, events.ReasonMissingField, ""},
}

func TestDecodeRejectsMisfits(t *testing.T) {
	for _, tt := range misfits {
		t.Run(tt.name, func(t *testing.T) {
			rej := rejection(t, edit(t, full(t, tt.kind), tt.path, tt.raw), 0)
			field := tt.field
			if field == "" {
				field = tt.path
			}
			if rej.Reason != tt.reason || rej.Field != field {
				t.Errorf("got %s at %q (%s), want %s at %q", rej.Reason, rej.Field, rej.Detail, tt.reason, field)
			}
			if !strings.HasPrefix(rej.Detail, field+": ") || !strings.Contains(rej.Error(), string(tt.reason)) {
				t.Errorf("detail %q, error %q", rej.Detail, rej)
			}
		})
	}
}

func TestDecodeLimit(t *testing.T) {
	line := full(t, events.ToolCall)
	if _, err := events.Decode([]byte(line), len(line)); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if rej := rejection(t, line, len(line)-1); rej.Reason != events.ReasonTooLarge {
		t.Errorf("over the limit: %v", rej)
	}
	big := edit(t, line, "call.raw_args", `"`+strings.Repeat("x", events.DefaultLimit)+`"`)
	if rej := rejection(t, big, 0); rej.Reason != events.ReasonTooLarge {
		t.Errorf("over the default limit: %v", rej)
	}
}

// Between them the tables meet every reason that Decode can give; the others
// are for CheckIdentity, for signatures and for the owner of a partition.
func TestReasonsAreAllTried(t *testing.T) {
	tried := map[events.Reason]bool{
		events.ReasonTooLarge: true, events.ReasonIdentity: true, events.ReasonPartition: true,
		events.ReasonReservedKind: true, events.ReasonSignature: true, events.ReasonRunEnded: true,
	}
	for _, tt := range malformed {
		tried[tt.reason] = true
	}
	for _, tt := range misfits {
		tried[tt.reason] = true
	}
	all := events.Reasons()
	for _, r := range all {
		if !tried[r] {
			t.Errorf("no case for %s", r)
		}
	}
	if len(tried) != len(all) || len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
		t.Errorf("%d reasons tried, %d listed", len(tried), len(all))
	}
}

// What a worker sent may be secret: no reject repeats it.
func TestRejectsQuoteNoValues(t *testing.T) {
	const secret = "s3cr3t-TOKEN"
	call, result := full(t, events.ToolCall), full(t, events.ToolResult)
	tests := []struct{ name, line string }{
		{"bad name", edit(t, call, "run", `"`+secret+`."`)},
		{"bad type", edit(t, call, "seq", `"`+secret+`"`)},
		{"bad time", edit(t, call, "time", `"`+secret+`"`)},
		{"unknown kind", edit(t, call, "kind", `"`+secret+`"`)},
		{"unknown outcome", edit(t, full(t, events.ControlAck), "ack.outcome", `"`+secret+`"`)},
		{"name twice", `{"v":1,"call":{"args":{"` + secret + `":1,"` + secret + `":2}}}`},
		{"name twice at the top", `{"` + secret + `":1,"` + secret + `":2}`},
		{"cut off", `{"v":1,"` + secret + `":"` + secret},
		{"not UTF-8", "{\"" + secret + "\":\"" + secret + "\xff\"}"},
		{"error as a string", edit(t, result, "result.error", `"`+secret+`"`)},
		{"scope", edit(t, full(t, events.OperatorAct), "operator.scope.run", `"`+secret+`."`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if rej := rejection(t, tt.line, 0); strings.Contains(rej.Error()+rej.Field, secret) {
				t.Errorf("quotes the value: %s", rej)
			}
		})
	}
}
