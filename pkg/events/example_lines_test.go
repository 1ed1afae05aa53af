package events_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// exampleFile holds, for every kind, an event with every field and one with
// the fewest.
const exampleFile = "testdata/events.jsonl"

// full returns the example of a kind that has every field.
func full(t testing.TB, kind events.Kind) string {
	t.Helper()
	want := `"kind":"` + string(kind) + `"`
	for _, line := range lines(t, exampleFile) {
		if bytes.Contains(line, []byte(want)) {
			return string(line)
		}
	}
	t.Fatalf("%s has no %s", exampleFile, kind)
	return ""
}

// edit returns the event with the value at a dotted path set to raw JSON, or
// removed where raw is empty. Names come out sorted, so a body may well stand
// before its kind.
func edit(t testing.TB, line, path, raw string) string {
	t.Helper()
	var root map[string]any
	dec := json.NewDecoder(strings.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&root); err != nil {
		t.Fatal(err)
	}
	at := root
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		next, ok := at[name].(map[string]any)
		if !ok {
			t.Fatalf("%s is no object in %s", name, line)
		}
		at = next
	}
	last := names[len(names)-1]
	if raw == "" {
		delete(at, last)
	} else {
		at[last] = json.RawMessage(raw)
	}
	edited, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(edited)
}
