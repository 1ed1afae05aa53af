package ingest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// What is wrong is named with file, line, path and what was wanted; what is
// right around it is told.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		format Format
		text   string
		faults []string
		told   int // events, the run_start included
	}{
		{"a role that is none", OpenAIChat, "[\n{\"role\":\"user\",\"content\":\"a\"},\n{\"role\":3},\n{\"content\":\"b\"},\n{\"role\":\"user\",\"content\":\"c\"}\n]",
			[]string{"f:3: [1].role: want a string, got a number", "f:4: [2].role: want system, developer, user, assistant, tool or function"}, 3},
		{"a call without a name beside one with", OpenAIChat, `{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{}},{"id":"b","function":{"name":"n"}}]}]}`,
			[]string{"f:1: messages[0].tool_calls[0].function.name: want the name of a tool, got none"}, 3},
		{"calls that are no array", OpenAIChat, `{"role":"assistant","tool_calls":{"a":1}}`, []string{"f:1: tool_calls: want an array, got an object"}, 0},
		{"a result of nothing", OpenAIChat, `{"role":"tool","content":"x"}`, []string{"f:1: tool_call_id: want the id of a call, got none"}, 0},
		{"a conversation that is a string", OpenAIChat, "\"hello\"\n", []string{"f:1: want an object, got a string"}, 0},
		{"lines that are broken", OpenAIChat, "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"us\n\n{\"role\":\"user\",\"content\":\"b\"}}\n{\"role\":\"user\",\"content\":\"c\"}",
			[]string{"f:2: ends in the middle of a JSON value", "f:4: not JSON"}, 4},
		{"a document that is cut off", Anthropic, "{\"messages\":[\n{\"role\":\"user\",\"content\":\"a\"},\n{\"role\":\"user\",\"con", []string{"f:3: ends in the middle of a JSON value"}, 2},
		{"a document that is broken", Anthropic, "{\"messages\":[\n{\"role\":\"user\",\"content\":\"a\"},\n{\"role\" \"user\"}]}", []string{"f:3: at /messages/1/role: not JSON: "}, 2},
		{"a tool use without a name", Anthropic, `[{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t"}]}]`,
			[]string{"f:1: [0].content[1].name: want the name of a tool, got none"}, 2},
		{"a block that is broken beside one that is not", Anthropic, `[{"role":"user","content":[{"type":5},{"type":"tool_result","tool_use_id":"t","content":"x"}]}]`,
			[]string{"f:1: [0].content[0].type: want a string, got a number"}, 2},
		{"a result of no call", Anthropic, `[{"role":"user","content":[{"type":"tool_result"}]}]`, []string{"f:1: [0].content[0].tool_use_id: want the id of a call, got none"}, 0},
		{"an item without a type", OpenAIResponses, `[{"id":"x"},{"type":"function_call_output","output":"x"},{"type":"function_call","arguments":"{}"}]`,
			[]string{"f:1: [0].type: want the type of an item, got none", "f:1: [1].call_id: want the id of a call, got none", "f:1: [2].name: want the name of a tool, got none"}, 2},
		{"an output that is no array", OpenAIResponses, `{"input":[],"output":{"a":1}}`, []string{"f:1: output: want an array, got an object"}, 0},
		{"a line without a message", ClaudeCode, "{\"type\":\"user\",\"uuid\":\"a\"}\n{\"uuid\":\"b\"}\n{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":4}}",
			[]string{"f:1: message: want an object, got none", "f:2: type: want user, assistant, system, summary or another type of line, got none", "f:3: message.content: want an array, got a number"}, 0},
		{"a step that is none", SWEAgent, `{"trajectory":[{"action":7},{"thought":"a","action":"ls","observation":"b"}]}`,
			[]string{"f:1: trajectory[0].action: want a string, got a number"}, 4},
		{"no trajectory", SWEAgent, `{"info":{}}`, []string{"f:1: want an object with a trajectory or a history"}, 0},
		{"no spans", OTelGenAI, `{"spans":[]}`, []string{"f:1: want an object with resourceSpans"}, 0},
		{"a span without an id", OTelGenAI, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x"}]}]}]}`,
			[]string{"f:1: resourceSpans[0].scopeSpans[0].spans[0]: want a traceId and a spanId"}, 0},
		{"messages that are none", OTelGenAI, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","spanId":"s","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":1}]"}}]}]}]}]}`,
			[]string{"f:1: resourceSpans[0].scopeSpans[0].spans[0].gen_ai.input.messages[0].role: want a string, got a number"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := read(t, "f", c.text, c.format)
			if len(got.faults) == len(c.faults) {
				for i, f := range c.faults {
					if strings.HasSuffix(f, ": ") || strings.HasSuffix(f, "not JSON") {
						got.faults[i] = got.faults[i][:min(len(f), len(got.faults[i]))] // the rest is the parser's
					}
				}
			}
			if d := cmp.Diff(c.faults, got.faults); d != "" {
				t.Errorf("faults (-want +got):\n%s", d)
			}
			if len(got.events) != c.told {
				t.Errorf("told %d events, want %d:\n%s", len(got.events), c.told, strings.Join(got.lines, "\n"))
			}
		})
	}
}

// The error of who listens ends the reading and is handed on; so is one of the
// file.
func TestErrors(t *testing.T) {
	enough := errors.New("enough")
	for _, file := range fixtures(t) {
		n := 0
		err := Read(file, strings.NewReader(load(t, file)), Auto, func(events.Event, []byte) error {
			if n++; n == 3 {
				return enough
			}
			return nil
		}, func(f replay.Fault) { t.Error(f) })
		if !errors.Is(err, enough) || n != 3 {
			t.Errorf("%s: %v after %d events", file, err, n)
		}
		torn := errors.New("torn")
		text := load(t, file)
		in := io.MultiReader(strings.NewReader(text[:len(text)/2]), iotest.ErrReader(torn))
		var last error
		err = Read(file, in, formatOf(file), func(events.Event, []byte) error { return nil }, func(f replay.Fault) { last = f.Err })
		if err != nil || !errors.Is(last, torn) {
			t.Errorf("%s: a file that cannot be read on: %v, fault %v", file, err, last)
		}
	}
	err := ReadFile(filepath.Join(t.TempDir(), "nowhere"), nil, Auto, nil, nil)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A record is never held beyond its limit, and what stands before it is told.
func TestARecordTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 100 MiB")
	}
	before := "{\"role\":\"user\",\"content\":\"a\"}"
	huge := io.LimitReader(endless('x'), 100<<20)
	for name, in := range map[string]io.Reader{
		"a line":   io.MultiReader(strings.NewReader(before+"\n{\"role\":\"user\",\"content\":\""), huge),
		"an item":  io.MultiReader(strings.NewReader("[\n"+before+",\n{\"role\":\"user\",\"content\":\""), io.LimitReader(endless('x'), 100<<20)),
		"a member": io.MultiReader(strings.NewReader("{\"messages\":[\n"+before+"],\n\"model\":\""), io.LimitReader(endless('x'), 100<<20)),
		"no end of members": io.MultiReader(strings.NewReader("{\"messages\":[\n"+before+"],\n\"a\":1"),
			io.LimitReader(&again{text: ",\"member\":\"value value value\""}, 100<<20)),
	} {
		var faults []string
		told := 0
		err := Read("f", in, OpenAIChat, func(events.Event, []byte) error { told++; return nil },
			func(f replay.Fault) { faults = append(faults, f.Error()) })
		if err != nil || told != 2 || len(faults) != 1 || !strings.HasSuffix(faults[0], errTooLarge.Error()) {
			t.Errorf("%s: %v, told %d, faults %q", name, err, told, faults)
		}
	}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// again gives the same text over and over.
type again struct {
	text string
	at   int
}

func (a *again) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = a.text[a.at]
		a.at = (a.at + 1) % len(a.text)
	}
	return len(p), nil
}
