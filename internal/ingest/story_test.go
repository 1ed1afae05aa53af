package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// story writes events in short: run, round and what was said.
func story(all []events.Event) []string {
	var out []string
	for _, e := range all {
		var what string
		switch {
		case e.Start != nil:
			what = "start"
			if e.Parent != "" {
				what += " of " + e.Parent
			}
		case e.Turn != nil:
			what = "turn " + e.Turn.Text
			if e.Turn.Compacted {
				what = "compacted " + what
			}
		case e.Call != nil:
			what = "call " + e.Call.ID + " " + e.Call.Tool + string(e.Call.Args) + e.Call.RawArgs
		case e.Result != nil:
			what = "result " + e.Result.CallID + " " + e.Result.Tool + " " + string(e.Result.Content)
			if e.Result.Error != nil {
				what += " failed " + e.Result.Error.Message
			}
		case e.Message != nil:
			what = e.Message.Role + " " + e.Message.Text
		case e.End != nil:
			what = "end " + string(e.End.Status)
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %d %s", e.Run, e.Round, what)))
	}
	return out
}

func wantStory(t *testing.T, f Format, text string, want ...string) {
	t.Helper()
	got := read(t, "f", text, f)
	if len(got.faults) > 0 {
		t.Errorf("faults: %q", got.faults)
	}
	if d := cmp.Diff(want, story(got.events)); d != "" {
		t.Errorf("told (-want +got):\n%s", d)
	}
}

// session writes lines of a Claude Code session.
func session(lines ...string) string { return strings.Join(lines, "\n") }

func assistant(uuid, parent, id, more, blocks string) string {
	return fmt.Sprintf(`{"type":"assistant","sessionId":"s","uuid":%q,"parentUuid":%q,%s"message":{"role":"assistant","id":%q,"content":[%s]}}`, uuid, parent, more, id, blocks)
}

func user(uuid, parent, more, content string) string {
	return fmt.Sprintf(`{"type":"user","sessionId":"s","uuid":%q,"parentUuid":%q,%s"message":{"role":"user","content":%s}}`, uuid, parent, more, content)
}

const side = `"isSidechain":true,`

// Two side chains whose lines alternate are two runs; each response waits for
// all of its lines, also when another run speaks in between.
func TestSideChainsThatAlternate(t *testing.T) {
	wantStory(t, ClaudeCode, session(
		user("a0", "", side, `"count pots"`),
		user("b0", "", side, `"count saucers"`),
		assistant("a1", "a0", "ma", side, `{"type":"text","text":"pots"}`),
		assistant("b1", "b0", "mb", side, `{"type":"text","text":"saucers"}`),
		assistant("a2", "a1", "ma", side, `{"type":"tool_use","id":"ta","name":"ls","input":{}}`),
		assistant("b2", "b1", "mb", side, `{"type":"tool_use","id":"tb","name":"ls","input":{}}`),
		user("b3", "b2", side, `[{"type":"tool_result","tool_use_id":"tb","content":"2"}]`),
		user("a3", "a2", side, `[{"type":"tool_result","tool_use_id":"ta","content":"1"}]`),
	),
		"s=2Fa0 0 start of s", "s=2Fa0 0 user count pots",
		"s=2Fb0 0 start of s", "s=2Fb0 0 user count saucers",
		"s=2Fa0 1 turn pots", "s=2Fa0 1 call ta ls{}",
		"s=2Fb0 1 turn saucers", "s=2Fb0 1 call tb ls{}",
		`s=2Fb0 1 result tb ls "2"`, `s=2Fa0 1 result ta ls "1"`,
	)
}

func TestSideChainsByAgent(t *testing.T) {
	agent := side + `"agentId":"x",`
	wantStory(t, ClaudeCode, session(
		assistant("m1", "", "m", "", `{"type":"text","text":"main"}`),
		assistant("u1", "m1", "a", agent, `{"type":"text","text":"one"}`),
		assistant("u2", "zz", "b", agent, `{"type":"text","text":"two"}`),
		`{"type":"system","subtype":"compact_boundary","sessionId":"s","isSidechain":true,"agentId":"x","uuid":"c"}`,
		assistant("u3", "c", "c", agent, `{"type":"text","text":"three"}`),
	),
		"s=2Fx 0 start of s", "s=2Fx 1 turn one", // the main response still waits for more lines
		"s 0 start", "s 1 turn main",
		"s=2Fx 2 turn two", "s=2Fx 3 compacted turn three",
	)
}

// The repeated usage of a response's lines counts once, the last of them.
func TestUsageOfManyLines(t *testing.T) {
	line := func(uuid string, out int) string {
		return fmt.Sprintf(`{"type":"assistant","sessionId":"s","uuid":%q,"message":{"role":"assistant","id":"m","content":[],"usage":{"input_tokens":2,"cache_read_input_tokens":5,"cache_creation_input_tokens":3,"output_tokens":%d}}}`, uuid, out)
	}
	got := read(t, "f", session(line("a", 1), line("b", 40)), ClaudeCode)
	want := &events.Usage{InputTokens: 10, OutputTokens: 40, CachedTokens: 5}
	if len(got.events) != 2 || cmp.Diff(want, got.events[1].Turn.Usage) != "" {
		t.Errorf("told %v", got.lines)
	}
}

// export wraps spans; attrs are key and value of strings in turn.
func export(spans ...string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}`
}

func aSpan(id, parent string, start, end int, more string, attrs ...string) string {
	var as []string
	for i := 0; i < len(attrs); i += 2 {
		as = append(as, fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, attrs[i], attrs[i+1]))
	}
	return fmt.Sprintf(`{"traceId":"t","spanId":%q,"parentSpanId":%q,"startTimeUnixNano":"17676036%02d000000000","endTimeUnixNano":"17676036%02d000000000",%s"attributes":[%s]}`,
		id, parent, start, end, more, strings.Join(as, ","))
}

const op = "gen_ai.operation.name"

// An agent inside a tool of an agent is its child; what it failed with ends it.
func TestAgentsInsideAgents(t *testing.T) {
	failed := `"status":{"code":"STATUS_CODE_ERROR"},"events":[{"name":"exception","attributes":[{"key":"exception.message","value":{"stringValue":"too hot"}}]}],`
	wantStory(t, OTelGenAI, export(
		aSpan("c", "b", 3, 4, failed, op, "invoke_agent"),
		aSpan("d", "c", 3, 4, "", op, "chat"),
		aSpan("b", "a", 2, 5, failed, op, "execute_tool", "gen_ai.tool.name", "delegate", "gen_ai.tool.call.id", "k", "gen_ai.tool.call.arguments", `{"to":"c"}`),
		aSpan("e", "a", 6, 7, failed, op, "chat"),
		aSpan("a", "", 1, 8, "", op, "invoke_agent"),
	),
		"t=2Fa 0 start", `t=2Fa 1 call k delegate{"to":"c"}`,
		"t=2Fc 0 start of t=2Fa", "t=2Fc 1 turn", "t=2Fc 0 end failed",
		"t=2Fa 1 result k delegate  failed too hot", "t=2Fa 0 end done", // the second chat did not answer
	)
}

// One conversation asked twice is one run that starts again.
func TestAConversationThatGoesOn(t *testing.T) {
	wantStory(t, OTelGenAI, export(
		aSpan("a", "", 1, 3, "", op, "invoke_agent", "gen_ai.conversation.id", "talk"),
		aSpan("b", "a", 1, 2, "", op, "chat"),
		aSpan("c", "", 5, 8, "", op, "invoke_agent", "gen_ai.conversation.id", "talk"),
		aSpan("d", "c", 6, 7, "", op, "chat"),
	), "talk 0 start", "talk 1 turn", "talk 0 end done", "talk 0 start", "talk 2 turn", "talk 0 end done")
}

// Spans that go round in a circle end nowhere, but they end.
func TestACircleOfSpans(t *testing.T) {
	wantStory(t, OTelGenAI, export(
		aSpan("a", "b", 1, 2, "", op, "invoke_agent"),
		aSpan("b", "a", 1, 2, "", op, "invoke_agent"),
		aSpan("c", "c", 1, 2, "", op, "chat"),
	), "t 0 start", "t 1 turn", "t=2Fa 0 start of t=2Fb", "t=2Fa 0 end done", "t=2Fb 0 start", "t=2Fb 0 end done")
}

// The history that every request repeats is told once, and results that no
// span tells come from it.
func TestWhatRequestsRepeat(t *testing.T) {
	history := `[{"role":"user","parts":[{"type":"text","content":"old"}]},{"role":"assistant","parts":[{"type":"tool_call","id":"k","name":"n","arguments":{"a":1}}]},` +
		`{"role":"tool","parts":[{"type":"tool_call_response","id":"k","response":{"b":2}}]},{"role":"user","parts":[{"type":"text","content":"new"}]}]`
	wantStory(t, OTelGenAI, export(
		aSpan("a", "", 1, 2, "", op, "chat", "gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"old"}]}]`,
			"gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"tool_call","id":"k","name":"n","arguments":{"a":1}}]}]`),
		aSpan("b", "", 3, 4, "", op, "chat", "gen_ai.input.messages", history),
	), "t 0 start", "t 0 user old", "t 1 turn", `t 1 call k n{"a":1}`, `t 1 result k n {"b":2}`, "t 0 user new", "t 2 turn")
}

// An item of a response that the next one answers is of the same round; after
// a result a new one begins.
func TestRoundsOfItems(t *testing.T) {
	wantStory(t, OpenAIResponses, `[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"both"}]},
{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"custom_tool_call","call_id":"b","name":"g","input":"free text"},
{"type":"function_call_output","call_id":"a","output":"1"},{"type":"custom_tool_call_output","call_id":"b","output":"2"},
{"type":"compaction","encrypted_content":"x"},{"type":"local_shell_call","call_id":"c","action":{"command":["ls"]}},
{"type":"mcp_call","id":"d","name":"h","arguments":"{}","error":"away"}]`,
		"f 0 start", "f 1 turn both", "f 1 call a f{}", "f 1 call b gfree text", `f 1 result a f "1"`, `f 1 result b g "2"`,
		"f 2 compacted turn", `f 2 call c local_shell{"command":["ls"]}`, "f 2 call d h{}", "f 2 result d h  failed away")
}

// A result says that it failed by either of two words.
func TestFailedResults(t *testing.T) {
	wantStory(t, OpenAIChat, `[{"role":"tool","tool_call_id":"a","content":"1","status":"error"},{"role":"tool","tool_call_id":"b","content":"2","is_error":true},
{"role":"tool","tool_call_id":"c","content":"3","status":"success","is_error":false}]`,
		"f 0 start", `f 1 result a  "1" failed 1`, `f 1 result b  "2" failed 2`, `f 1 result c  "3"`)
}

// The same id in a later round answers the later call.
func TestCallIDsThatAreUsedAgain(t *testing.T) {
	wantStory(t, OpenAIChat, `[{"role":"assistant","tool_calls":[{"id":"call","function":{"name":"f","arguments":""}}]},{"role":"tool","tool_call_id":"call","content":"1"},
{"role":"assistant","tool_calls":[{"id":"call","function":{"name":"g","arguments":null}}]},{"role":"tool","tool_call_id":"call","content":"2"},
{"role":"tool","tool_call_id":"nobody","name":"h","content":null}]`,
		"f 0 start", "f 1 turn", "f 1 call call f", `f 1 result call f "1"`, "f 2 turn", "f 2 call call g", `f 2 result call g "2"`, "f 2 result nobody h")
}
