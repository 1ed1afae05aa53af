package gateway_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/gateway"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string // nil where the body cannot be read
	}{
		{"one", `{"a":1}`, []string{`{"a":1}`}},
		{"one in white space", " \n{\"a\":1}\r\n ", []string{`{"a":1}`}},
		{"one over lines", "{\n\"a\": [1,\n2]\n}", []string{"{\n\"a\": [1,\n2]\n}"}},
		{"an array", `[{"a":1}, {"b":[2]} ,3]`, []string{`{"a":1}`, `{"b":[2]}`, `3`}},
		{"an array over lines", "[\n{\"a\":1},\n{}\n]\n", []string{`{"a":1}`, `{}`}},
		{"an empty array", `[]`, []string{}},
		{"lines", "{\"a\":1}\n{\"b\":2}", []string{`{"a":1}`, `{"b":2}`}},
		{"lines with empty ones", "{}\n\n \r\n{}\n", []string{`{}`, `{}`}},
		{"a broken line", "{}\n{\"a\":\n{}", []string{`{}`, `{"a":`, `{}`}},
		{"two on a line", "{}\n{}{}", []string{`{}`, `{}{}`}},
		{"a key twice", `{"a":1,"a":2}`, []string{`{"a":1,"a":2}`}},
		{"not UTF-8", "[\"\xff\"]", []string{"\"\xff\""}},
		{"nothing", " \n ", nil},
		{"no JSON", "hello\nworld", nil},
		{"half an event", `{"a":`, nil},
		{"half an array", `[{"a":1}`, nil},
		{"an array without commas", `[{} {}]`, nil},
		{"a comma too many", `[{},]`, nil},
		{"more behind the array", `[{}] {}`, nil},
		{"an array of arrays that never ends", strings.Repeat("[", 20_000), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			items, err := gateway.Split([]byte(c.body))
			if c.want == nil {
				var f *gateway.Fault
				if !errors.As(err, &f) || f.Status != 400 || f.Code != "unreadable" {
					t.Fatalf("split into %q, %v; want that it cannot be read", items, err)
				}
				return
			}
			got := []string{}
			for _, it := range items {
				got = append(got, string(it))
			}
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +have):\n%s", err, diff)
			}
		})
	}
}

// Whatever the body, nothing of it is made up or lost: the items stand in it
// in their order, an array's are JSON, and of lines at least one is.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{`{"a":1}`, "[1,{}]", "{}\n{\"a\":}\n[]", "[[[", "", "{\"a\":\"\\ud800\"}\n{}", "[1]\n2", "1 2", "\"\n\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		items, err := gateway.Split(body)
		if err != nil {
			if items != nil {
				t.Fatalf("items %q beside %v", items, err)
			}
			return
		}
		rest, good := string(body), 0
		for _, it := range items {
			_, after, ok := strings.Cut(rest, string(it))
			if !ok || len(it) == 0 {
				t.Fatalf("item %q is not in what is left, %q", it, rest)
			}
			rest = after
			v := jsontext.Value(it)
			if v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
				good++
			}
		}
		array := strings.HasPrefix(strings.TrimSpace(string(body)), "[")
		if array && good != len(items) && !strings.Contains(string(body), "\n") {
			t.Fatalf("%d of %d elements are JSON", good, len(items))
		}
		if !array && good == 0 {
			t.Fatalf("none of %q is JSON", items)
		}
	})
}
