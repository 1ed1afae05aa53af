package ingest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestArguments(t *testing.T) {
	for _, c := range []struct{ name, in, args, raw string }{
		{"JSON in a text", `"{\"a\": 1}"`, `{"a":1}`, ""},
		{"a value of its own", `{"a": [1, 2]}`, `{"a":[1,2]}`, ""},
		{"numbers stay as they are written", `"{\"n\":1.50,\"big\":123456789012345678901}"`, `{"n":1.50,"big":123456789012345678901}`, ""},
		{"none", `null`, "", ""},
		{"an empty text", `" "`, "", ""},
		{"no JSON", `"{a: 1"`, "", "{a: 1"},
		{"two values", `"{} {}"`, "", "{} {}"},
		{"a name twice", `"{\"a\":1,\"a\":2}"`, "", `{"a":1,"a":2}`},
		{"half a surrogate pair", `"{\"a\":\"\\ud800\"}"`, `{"a":"�"}`, ""},
		{"a text in JSON", `"\"go\""`, `"go"`, ""},
	} {
		args, raw := arguments(value(c.in))
		if string(args) != c.args || raw != c.raw {
			t.Errorf("%s: %s and %q, want %s and %q", c.name, args, raw, c.args, c.raw)
		}
	}
}

func TestContent(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a text", `"a"`, `"a"`},
		{"nothing", `null`, ""},
		{"blocks of text", `[{"type":"text","text":"a"},{"type":"output_text","text":"b"},"c"]`, `"a\nb\nc"`},
		{"a block that is no text", `[{"type":"text","text":"a"},{"type":"image"}]`, `[{"type":"text","text":"a"},{"type":"image"}]`},
		{"a block that is no text before one that is", `[{"type":"image"},{"type":"text","text":"a"}]`, `[{"type":"image"},{"type":"text","text":"a"}]`},
		{"no blocks", `[]`, `[]`},
		{"an object", `{"a": 1}`, `{"a":1}`},
		{"a name twice", `{"a":1,"a":2}`, `"{\"a\":1,\"a\":2}"`},
		{"a refusal", `[{"type":"refusal","refusal":"no"}]`, `"no"`},
	} {
		if got := content(value(c.in)); string(got) != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestInstant(t *testing.T) {
	want := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	half := want.Add(500 * time.Millisecond)
	for in, want := range map[string]time.Time{
		`"2026-01-05T09:00:00Z"`: want, `"2026-01-05T10:00:00.5+01:00"`: half,
		`1767603600`: want, `1767603600.5`: half, `1767603600500`: half, `1767603600500000`: half, `1767603600500000000`: half,
		`"1767603600500000000"`: half, `"1767603600"`: want,
		`null`: {}, `""`: {}, `"yesterday"`: {}, `0`: {}, `-5`: {}, `{}`: {}, `"9999-01-01T00:00:00Z"`: {}, `true`: {},
	} {
		if got := instant(value(in)); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", in, got, want)
		}
	}
	if got := instant(value(`1e300`)); got.Year() > 2262 {
		t.Errorf("a number beyond all time: %v", got)
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     *events.Usage
	}{
		{"chat", `{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}`, &events.Usage{InputTokens: 10, OutputTokens: 2, CachedTokens: 4}},
		{"responses", `{"input_tokens":10,"output_tokens":2,"input_tokens_details":{"cached_tokens":4}}`, &events.Usage{InputTokens: 10, OutputTokens: 2, CachedTokens: 4}},
		{"messages", `{"input_tokens":3,"output_tokens":2,"cache_read_input_tokens":4,"cache_creation_input_tokens":3}`, &events.Usage{InputTokens: 10, OutputTokens: 2, CachedTokens: 4}},
		{"nonsense", `{"input_tokens":-3,"output_tokens":1e300}`, &events.Usage{OutputTokens: events.MaxNumber}},
		{"nothing", `{"cost":1}`, nil},
	} {
		var u usage
		if err := decode([]byte(c.in), &u, where{}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, u.tokens()); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
	for in, want := range map[string]float64{`{"cost":0.25}`: 0.25, `{"cost":-1}`: -1, `{"cost":1e12}`: -1, `{}`: -1} {
		var u usage
		if err := decode([]byte(in), &u, where{}); err != nil {
			t.Fatal(err)
		}
		if got := u.cost(); (got == nil) != (want < 0) || got != nil && *got != want {
			t.Errorf("%s: %v", in, got)
		}
	}
}

func TestOTLPValues(t *testing.T) {
	for in, want := range map[string]string{
		`{"stringValue":"a\"b"}`:    `"a\"b"`,
		`{"intValue":"12"}`:         `12`,
		`{"intValue":12}`:           `12`,
		`{"intValue":"12 monkeys"}`: `"12 monkeys"`,
		`{"doubleValue":1.5}`:       `1.5`,
		`{"boolValue":true}`:        `true`,
		`{"bytesValue":"aGk="}`:     `"aGk="`,
		`{"arrayValue":{"values":[{"intValue":1},{"stringValue":"x"}]}}`: `[1,"x"]`,
		`{"arrayValue":{}}`: `[]`,
		`{"kvlistValue":{"values":[{"key":"k","value":{"intValue":1}}]}}`: `{"k":1}`,
		`{}`: `null`,
	} {
		var v anyValue
		if err := decode([]byte(in), &v, where{}); err != nil {
			t.Fatal(err)
		}
		if got := v.json(); string(got) != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// Nesting at the limit of JSON is read; what no event can hold is a hash.
func TestDeepNesting(t *testing.T) {
	const depth = 3000
	deep := strings.Repeat(`{"arrayValue":{"values":[`, depth) + `{"stringValue":"x"}` + strings.Repeat(`]}}`, depth)
	var v anyValue
	if err := decode([]byte(deep), &v, where{}); err != nil {
		t.Fatal(err)
	}
	if got := v.json(); len(got) != 2*depth+3 {
		t.Errorf("%d bytes", len(got))
	}
	args := strings.Repeat("[", 9999) + strings.Repeat("]", 9999) // an event around it is too deep for any processor
	got := read(t, "f", `{"role":"assistant","tool_calls":[{"function":{"name":"n","arguments":"`+args+`"}}]}`, OpenAIChat)
	if len(got.faults) > 0 || len(got.events) != 3 || !strings.HasPrefix(string(got.events[2].Call.Args), `{"$h":`) {
		t.Errorf("told %d events, faults %q", len(got.events), got.faults)
	}
}
