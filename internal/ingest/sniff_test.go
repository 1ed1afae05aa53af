package ingest

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

func TestRecognise(t *testing.T) {
	pad := strings.Repeat("x", 5000)
	for _, c := range []struct {
		name, text string
		want       Format
	}{
		{"nothing", "", Loopwatch},
		{"white space", " \n\n", Loopwatch},
		{"our trace", `{"v":1,"id":"e","kind":"tick"}`, Loopwatch},
		{"our trace, members turned round", `{"kind":"turn","run":"r","v":1}`, Loopwatch},
		{"our trace with a state that looks like a conversation", `{"id":"e","turn":{"state":{"messages":[{"role":"tool"}]}},"v":1,"kind":"turn"}`, Loopwatch},
		{"our trace after a broken line", "{\"v\":1,\"id\n{\"v\":1,\"kind\":\"turn\"}\n", Loopwatch},
		{"a later version of ours", `{"v":2,"kind":"turn"}`, Loopwatch},
		{"ours without a version", `{"kind":"turn","run":"a"}`, Loopwatch},
		{"halves of our head in two lines", "{\"v\":1,\"a\":1}\n{\"kind\":\"b\",\"tool_calls\":[]}", OpenAIChat},
		{"chat by its tool role", `[{"role":"user","content":"` + pad + `"},{"role":"tool","tool_call_id":"a","content":"x"}]`, OpenAIChat},
		{"chat by its calls", `{"messages":[{"role":"assistant","content":null,"tool_calls":[]}]}`, OpenAIChat},
		{"a conversation without tools", `[{"role":"user","content":"hello"},{"role":"assistant","content":"hello"}]`, OpenAIChat},
		{"a completion", `{"id":"x","object":"chat.completion","choices":[]}`, OpenAIChat},
		{"anthropic by its blocks", `{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use"}]}]}`, Anthropic},
		{"anthropic after a system message", `[{"role":"system","content":"s"},{"role":"assistant","content":[{"type":"tool_use"}]}]`, Anthropic},
		{"anthropic by its tools", `{"model":"m","tools":[{"name":"a","input_schema":{}}],"messages":[{"role":"user","content":"a"}]}`, Anthropic},
		{"anthropic by its system", `{"system":"s","messages":[{"role":"user","content":"a"}]}`, Anthropic},
		{"arguments of a tool are no signs", `[{"role":"assistant","content":[{"type":"tool_use","input":{"resourceSpans":1,"tool_calls":[]}}]}]`, Anthropic},
		{"items", `[{"role":"user","content":"a"},{"type":"function_call","call_id":"c","name":"n","arguments":"{}"}]`, OpenAIResponses},
		{"an item of the provider", `[{"type":"web_search_call","id":"c"}]`, OpenAIResponses},
		{"a request with input", `{"model":"m","input":[{"role":"user","content":"a"}]}`, OpenAIResponses},
		{"a response", `{"id":"r","object":"response","output":[]}`, OpenAIResponses},
		{"a session", `{"type":"summary","summary":"s","leafUuid":"u"}`, ClaudeCode},
		{"a session with blocks", `{"parentUuid":null,"message":{"role":"user","content":[{"type":"tool_result"}]}}`, ClaudeCode},
		{"a trajectory", "{\n  \"trajectory\": [\n", SWEAgent},
		{"a history", `{"history":[{"role":"system","content":"x"}]}`, SWEAgent},
		{"spans", "{\"resourceSpans\":[", OTelGenAI},
		{"lines of spans, the first broken", "}{\n{\"resourceSpans\":[]}\n", OTelGenAI},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := recognise(bufio.NewReaderSize(strings.NewReader(c.text), peek))
			if err != nil || got != c.want {
				t.Errorf("recognised as %q (%v), want %q", got, err, c.want)
			}
		})
	}
	for _, text := range []string{"hello", `{"a":1}`, "[1,2,3]", `"messages"`, strings.Repeat(`{"a":[`, 2000), "{\"key\":\"value\"}\n[[]]\n"} {
		if got, err := recognise(bufio.NewReaderSize(strings.NewReader(text), peek)); err == nil {
			t.Errorf("%.20q is recognised as %q", text, got)
		}
	}
}

// A live trace of our own is told by its first line: nothing waits for more.
func TestALiveTraceIsNotWaitedFor(t *testing.T) {
	in, out := io.Pipe()
	defer in.Close()
	go func() { _, _ = out.Write([]byte(`{"v":1,"id":"e1","kind":"tool_call","run":"r1"}` + "\n")) }()
	if got, err := recognise(bufio.NewReaderSize(in, peek)); got != Loopwatch || err != nil {
		t.Errorf("recognised as %q (%v)", got, err)
	}
}

func TestParseFormat(t *testing.T) {
	for _, f := range append(Formats(), Auto) {
		if got, err := ParseFormat(string(f)); got != f || err != nil {
			t.Errorf("%q: %q, %v", f, got, err)
		}
	}
	if _, err := ParseFormat("OpenAI"); err == nil || !strings.Contains(err.Error(), "otel-genai") {
		t.Errorf("a format that does not exist: %v", err)
	}
}

func TestIsLines(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"lines", "{}\n{}\n", true},
		{"one line", "{}", true},
		{"a document", "{\n\"a\": 1\n}\n", false},
		{"a document of one long line, cut off", "{\"a\":", false},
		{"lines, the first broken", "{\"a\n{\"b\":1}\n", true},
		{"a broken document", "{\n\"a\": ]\n}\n", false},
		{"empty lines before", "\n\n{}\n{}\n", true},
	} {
		if got := isLines(bufio.NewReaderSize(strings.NewReader(c.text), peek)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
