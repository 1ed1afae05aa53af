package ingest

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// seeds are every fixture, and what has been met of hostile input.
func seeds(f *testing.F, of Format) {
	for _, file := range fixtures(f) {
		if of == Auto || formatOf(file) == of {
			f.Add(load(f, file))
		}
	}
	for _, s := range []string{
		"", "[", "{", "[[]]", "null", "[null]", "{}\n{", "\xff", `{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"n","arguments":"{\"a\":\"\\ud800\"}"}}]}]}`,
		`[{"role":"assistant","tool_calls":[{"id":"","function":{"name":"\u0000","arguments":{"a":1,"a":2}}}]},{"role":"tool","tool_call_id":"a","content":{"a":"\ud800"}}]`,
		`[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"` + string(make([]byte, 300)) + `","input":{"x":[[[[1e999]]]]}}]}]`,
		`{"type":"assistant","sessionId":"_","uuid":"u","timestamp":1e300,"isSidechain":true,"parentUuid":"u","message":{"role":"assistant","content":[{"type":"tool_use","name":"n"}],"usage":{"input_tokens":-1e99}}}`,
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","spanId":"a","parentSpanId":"a","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"invoke_agent"}}]}]}]}]}`,
	} {
		f.Add(s)
	}
}

// whatever is read, nothing panics, and what is told are events in order: each
// is one that events accepts (read holds that), seq has no gaps and rounds do
// not go back by themselves.
func whatever(f *testing.F, of Format) {
	seeds(f, of)
	f.Fuzz(func(t *testing.T, text string) {
		got := read(t, "some/file.jsonl", text, of)
		last := map[string]uint64{}
		turns := map[string]int{}
		for _, e := range got.events {
			if of == Auto && e.Origin == events.FromLoopwatch || e.Kind.Ours() {
				return // our own trace says what it likes
			}
			if of != Auto && e.Seq != last[e.Run]+1 {
				t.Fatalf("%s: seq %d after %d", e.Run, e.Seq, last[e.Run])
			}
			last[e.Run] = e.Seq
			if of != Auto && e.Kind == events.TurnKind {
				if e.Round <= turns[e.Run] {
					t.Fatalf("%s: turn of round %d after round %d", e.Run, e.Round, turns[e.Run])
				}
				turns[e.Run] = e.Round
			}
		}
	})
}

func FuzzAuto(f *testing.F)            { whatever(f, Auto) }
func FuzzOpenAIChat(f *testing.F)      { whatever(f, OpenAIChat) }
func FuzzOpenAIResponses(f *testing.F) { whatever(f, OpenAIResponses) }
func FuzzAnthropic(f *testing.F)       { whatever(f, Anthropic) }
func FuzzClaudeCode(f *testing.F)      { whatever(f, ClaudeCode) }
func FuzzSWEAgent(f *testing.F)        { whatever(f, SWEAgent) }
func FuzzOTelGenAI(f *testing.F)       { whatever(f, OTelGenAI) }

// FuzzSniff holds that telling a format never panics, and that what it is sure
// of from a beginning stays true when more is seen.
func FuzzSniff(f *testing.F) {
	seeds(f, Auto)
	f.Fuzz(func(t *testing.T, text string) {
		whole, _ := sniff([]byte(text))
		if !jsontext.Value(text).IsValid(lenient) {
			return // a line that is cut looks broken
		}
		if part, sure := sniff([]byte(text[:len(text)/2])); sure && part != whole {
			t.Errorf("%s from the beginning, %s from all", part, whole)
		}
	})
}
