package trace

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestBodies(t *testing.T) {
	yes, no, cost, steps := true, false, 0.25, 2
	tests := []struct {
		name, line string
		want       events.Event
	}{
		{"a start", `start {"attempt":2,"tools":[{"name":"ls","effect":"read","polls":true}],"limits":{"max_turns":9}}`, events.Event{
			Kind: events.RunStart,
			Start: &events.Start{
				Attempt: 2, Tools: []events.Tool{{Name: "ls", Effect: events.EffectRead, Polls: true}},
				Limits: events.Limits{MaxTurns: 9},
			},
		}},
		{"an empty start", "start", events.Event{Kind: events.RunStart, Start: &events.Start{}}},
		{"a turn of text", "turn I see {braces} and } more", events.Event{
			Kind: events.TurnKind, Turn: &events.Turn{Text: "I see {braces} and } more"},
		}},
		{"a turn with fields", `turn which order? {"asks":["order"],"known":{"order":7,"name":"x"},"cost_usd":0.25,"steps_completed":2}`, events.Event{
			Kind: events.TurnKind,
			Turn: &events.Turn{
				Text: "which order?", Asks: []string{"order"}, Known: events.Names{"name", "order"},
				CostUSD: &cost, StepsCompleted: &steps,
			},
		}},
		{"a turn of fields alone", `turn {"state_hash":"a"}`, events.Event{Kind: events.TurnKind, Turn: &events.Turn{StateHash: "a"}}},
		{"a call", `call track.parcel { "id" : 1.50 }`, events.Event{
			Kind: events.ToolCall, Call: &events.Call{ID: "c1", Tool: "track.parcel", Args: events.RawJSON(`{"id":1.50}`)},
		}},
		{"a call without arguments", "call status", events.Event{Kind: events.ToolCall, Call: &events.Call{ID: "c1", Tool: "status"}}},
		{"a call with broken arguments", `call grep raw {"q": "fo`, events.Event{
			Kind: events.ToolCall, Call: &events.Call{ID: "c1", Tool: "grep", RawArgs: `{"q": "fo`},
		}},
		{"a user", "user and then?", events.Event{Kind: events.Said, Message: &events.Message{Role: "user", Text: "and then?"}}},
		{"an answer", "say done", events.Event{Kind: events.Said, Message: &events.Message{Role: "assistant", Text: "done"}}},
		{"a word to another run", "tell r2 your turn", events.Event{
			Kind: events.Said, Message: &events.Message{Role: "assistant", To: "r2", Text: "your turn"},
		}},
		{"an end", "end failed the disk is full", events.Event{
			Kind: events.RunEnd, End: &events.End{Status: events.Failed, Reason: "the disk is full"},
		}},
		{"giving up properly", `blocked {"attempted":["a"],"blocker":"no key","needs":"a key"}`, events.Event{
			Kind: events.RunEnd,
			End: &events.End{
				Status:  events.Blocked,
				Blocked: &events.Blocker{Attempted: []string{"a"}, Blocker: "no key", Needs: "a key"},
			},
		}},
		{"an acknowledgement", "ack", events.Event{Kind: events.ControlAck, Ack: &events.Ack{Control: Newest, Outcome: events.Applied}}},
		{"a refusal", "ack rejected", events.Event{Kind: events.ControlAck, Ack: &events.Ack{Control: Newest, Outcome: events.Rejected}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { same(t, tt.want, one(t, tt.line+"\n").Events[0]) })
	}
	results := []struct {
		name, line string
		want       events.Result
	}{
		{"text", "result no matches", events.Result{Content: events.RawJSON(`"no matches"`)}},
		{"nothing", "result", events.Result{Content: events.RawJSON(`""`)}},
		{"a number is text", "result 10", events.Result{Content: events.RawJSON(`"10"`)}},
		{"an object", `result {"a": 1}`, events.Result{Content: events.RawJSON(`{"a":1}`)}},
		{"an empty array", "result []", events.Result{Content: events.RawJSON(`[]`)}},
		{"an unclosed object is text", "result {a", events.Result{Content: events.RawJSON(`"{a"`)}},
		{"a quoted string", `result "two\nlines"`, events.Result{Content: events.RawJSON(`"two\nlines"`)}},
		{"options", "result ok [changed ms=7]", events.Result{Content: events.RawJSON(`"ok"`), Changed: &yes, DurationMS: 7}},
		{"options after an array", "result [1] [unchanged]", events.Result{Content: events.RawJSON(`[1]`), Changed: &no}},
		{"options alone", "result [replayed]", events.Result{Content: events.RawJSON(`""`), Replayed: true}},
		{"a bracket that is text", "result see [docs changed]", events.Result{Content: events.RawJSON(`"see [docs changed]"`)}},
		{"cut", "result abc [truncated sha=ff]", events.Result{Content: events.RawJSON(`"abc"`), Truncated: true, ContentSHA: "ff"}},
		{"an error", "error too many requests [code=429 retryable]", events.Result{
			Error: &events.Error{Message: "too many requests", Code: "429", Retryable: true},
		}},
		{"an error without words", "error", events.Result{Error: &events.Error{}}},
		{"a hash sign is text", "result issue #7 # wanted", events.Result{Content: events.RawJSON(`"issue #7 # wanted"`)}},
	}
	for _, tt := range results {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.CallID, tt.want.Tool = "c1", "a"
			same(t, events.Event{Kind: events.ToolResult, Result: &tt.want}, one(t, "call a {}\n"+tt.line+"\n").Events[1])
		})
	}
}

// same compares what events say, not where they stand.
func same(t *testing.T, want, got events.Event) {
	t.Helper()
	want.V, want.ID, want.Tenant, want.Agent, want.Task, want.Run = 1, got.ID, "default", "agent", "t1", "r1"
	want.Seq, want.StreamSeq, want.Time, want.Stored = got.Seq, got.StreamSeq, got.Time, got.Stored
	want.Round, want.Origin = got.Round, events.FromAgent
	if d := cmp.Diff(want, got); d != "" {
		t.Error("event (-want +got):\n", d)
	}
}

func TestResultsAnswerInOrder(t *testing.T) {
	s := one(t, "call a {}\n| call b {}\n| call c {}\nresult second [call=c2]\nresult first\nresult third\n")
	var got []string
	for _, e := range s.Events[3:] {
		got = append(got, e.Result.CallID+" "+e.Result.Tool)
	}
	if d := cmp.Diff([]string{"c2 b", "c1 a", "c3 c"}, got); d != "" {
		t.Error("answered (-want +got):\n", d)
	}
}
