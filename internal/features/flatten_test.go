package features

import (
	"strings"
	"testing"
)

func TestFlatten(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"a string is its text", `"a\nb"`, "a\nb"},
		{"members are lines", `{"b":1,"a":"x","c":true}`, "b: 1\na: x\nc: true"},
		{"an envelope adds nothing", `{"output":"x","code":1,"result":{"message":"y"}}`, "x\ncode: 1\ny"},
		{"null says nothing", `null`, ""},
		{"a member that is null", `{"a":null,"b":2}`, "a: \nb: 2"},
		{"containers leave their key out", `{"a":{"b":1},"c":[2,"x"]}`, "b: 1\n2\nx"},
		{"an empty array says so", `{"hits":[]}`, "[]"},
		{"an empty object says nothing", `{"a":{},"b":1}`, "b: 1"},
		{"JSON in a string", `"{\"a\": [1, \"x\"]}"`, "1\nx"},
		{"JSON in a string in JSON", `{"body":"[{\"a\":\"{\\\"b\\\":1}\"}]"}`, "body: a: b: 1"},
		{"a string that only begins like JSON", `"[a] b"`, "[a] b"},
		{"a string that ends unlike JSON", `"{} x"`, "{} x"},
		{"numbers as they are written", `[1.0, -2e5]`, "1.0\n-2e5"},
		{"a volatile member", `{"age":{"s":[1]},"n":1}`, "age: <v>\nn: 1"},
		{"a volatile scalar", `{"n":1,"age":"a, b"}`, "n: 1\nage: <v>"},
		{"what is no JSON", `{"a":`, `{"a":`},
		{"nothing", ``, ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var f flattener
			if got := string(f.appendTo(nil, []byte(tt.in), []string{"age"})); got != tt.want {
				t.Errorf("%s becomes %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestFlattenIsBounded(t *testing.T) {
	var f flattener
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	if got := f.appendTo(nil, []byte(deep), nil); len(got) == 0 {
		t.Error("deep nesting says nothing")
	}
	nested := "[1]"
	for range 12 {
		nested = string(quoteArgs("a", nested))
	}
	if got := string(f.appendTo(nil, []byte(nested), nil)); !strings.HasSuffix(got, "1") {
		t.Errorf("strings in strings become %q", got)
	}
}

func TestOpaque(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"$h":"ab"}`: true, ` { "$h" : "ab" } `: true, `{"$h":1}`: false, `{"$h":"ab","x":1}`: false, `"$h"`: false,
		`{"a":{"$h":"ab"}}`: false, `{}`: false, ``: false, `{"$h":"ab"`: false, `{"$h":`: false,
	} {
		if _, ok := opaque([]byte(raw)); ok != want {
			t.Errorf("%s: %v, want %v", raw, ok, want)
		}
	}
}

func TestStripTags(t *testing.T) {
	for in, want := range map[string]string{
		"<returncode>0</returncode>\n<output>\na < b\n</output>": " 0 \n \na < b\n ", "<out": "<out", "<": "<", "a<b><output>": "a<b> ", "": "",
	} {
		if got := string(stripTags([]byte(in))); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
