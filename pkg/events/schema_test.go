package events_test

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loopwatch/loopwatch/pkg/events"
)

//go:generate go test . -run TestSchemaIsUpToDate -update

var update = flag.Bool("update", false, "write the schema instead of comparing it")

// schemaFile is the published schema of an event.
var schemaFile = filepath.Join("..", "..", "docs", "schemas", "event.json")

func TestSchemaIsUpToDate(t *testing.T) {
	text, err := eventSchema(t).Text()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(schemaFile), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(schemaFile, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	published, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(published), string(text)); diff != "" {
		t.Errorf("the types have changed; run go generate ./pkg/events (-published +types):\n%s", diff)
	}
}

// validator reads the published file, not what the types say now.
func validator(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, line []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return s.Validate(v)
}

func TestSchemaAcceptsExamples(t *testing.T) {
	s := validator(t)
	met := map[events.Kind]int{}
	for n, line := range lines(t, exampleFile) {
		if err := validate(t, s, line); err != nil {
			t.Errorf("%s:%d: %v", exampleFile, n, err)
		}
		e := decode(t, string(line))
		encoded, err := events.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, s, encoded); err != nil {
			t.Errorf("%s:%d as encoded: %v", exampleFile, n, err)
		}
		met[e.Kind]++
	}
	if len(met) != len(kinds) {
		t.Errorf("examples of %v only", slices.Sorted(maps.Keys(met)))
	}
}

// The schema refuses what Decode refuses, but for rules that a schema cannot
// express.
func TestSchemaRefusesWhatDecodeRefuses(t *testing.T) {
	beyond := map[string]bool{"own parent": true}
	s := validator(t)
	for _, tt := range misfits {
		err := validate(t, s, []byte(edit(t, full(t, tt.kind), tt.path, tt.raw)))
		if accepted := err == nil; accepted != beyond[tt.name] {
			t.Errorf("%s (%s = %s): %v", tt.name, tt.path, tt.raw, err)
		}
	}
	for _, tt := range malformed {
		if tt.reason == events.ReasonDuplicateKey || tt.reason == events.ReasonTooDeep || !strings.HasPrefix(tt.line, "{") {
			continue
		}
		if v, err := jsonschema.UnmarshalJSON(strings.NewReader(tt.line)); err == nil && s.Validate(v) == nil {
			t.Errorf("%s: accepted", tt.name)
		}
	}
}

func TestSchemaIgnoresOtherBodies(t *testing.T) {
	line := edit(t, full(t, events.ToolCall), "turn", `"no turn at all"`)
	decode(t, line)
	if err := validate(t, validator(t), []byte(line)); err != nil {
		t.Error(err)
	}
}

func TestSchemaAcceptsRecordedRuns(t *testing.T) {
	s := validator(t)
	for _, file := range glob(t, filepath.Join(shared(t), "data", "runs", "*.jsonl.gz")) {
		for n, line := range lines(t, file) {
			if n%37 != 0 { // a fair part is enough: the validator is slow
				continue
			}
			if err := validate(t, s, line); err != nil {
				t.Fatalf("%s:%d: %v", file, n, err)
			}
		}
	}
}
