package worker_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// Each convention has its own frame around the same schema of the arguments.
func TestBlockedToolFor(t *testing.T) {
	type object = map[string]any
	frames := map[worker.Convention]func(def object) (name, description, schema any){
		worker.ConventionOpenAI: func(def object) (any, any, any) {
			f, _ := def["function"].(object)
			if def["type"] != "function" || f["strict"] != true || len(def) != 2 {
				t.Errorf("openai: %v", def)
			}
			return f["name"], f["description"], f["parameters"]
		},
		worker.ConventionOpenAIResponses: func(def object) (any, any, any) {
			if def["type"] != "function" || def["strict"] != true || len(def) != 5 {
				t.Errorf("openai-responses: %v", def)
			}
			return def["name"], def["description"], def["parameters"]
		},
		worker.ConventionAnthropic: func(def object) (any, any, any) {
			return def["name"], def["description"], def["input_schema"]
		},
		worker.ConventionMCP: func(def object) (any, any, any) { return def["name"], def["description"], def["inputSchema"] },
		worker.ConventionJSONSchema: func(def object) (any, any, any) {
			name, description := def["title"], def["description"]
			if def["$schema"] == nil {
				t.Error("json-schema: names no dialect")
			}
			delete(def, "$schema")
			delete(def, "title")
			delete(def, "description")
			return name, description, def
		},
	}
	var first any
	for _, c := range worker.Conventions() {
		raw, err := worker.BlockedToolFor(c)
		if err != nil {
			t.Fatal(err)
		}
		var def object
		if err := json.Unmarshal(raw, &def); err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		name, description, schema := frames[c](def)
		if name != worker.BlockedTool {
			t.Errorf("%s: named %v", c, name)
		}
		if text, _ := description.(string); !strings.Contains(text, "correct and expected outcome") || !strings.Contains(text, "Do not use it") {
			t.Errorf("%s: does not say when to use it and when not: %q", c, text)
		}
		if first == nil {
			first = schema
		}
		if d := cmp.Diff(first, schema); d != "" {
			t.Errorf("%s: another schema:\n%s", c, d)
		}
	}
	o := first.(object)
	if d := cmp.Diff([]any{"attempted", "blocker", "needs"}, o["required"]); d != "" || o["additionalProperties"] != false {
		t.Errorf("strict mode wants every argument required and no others: %v", o)
	}
	if _, err := worker.BlockedToolFor("cobol"); err == nil || !strings.Contains(err.Error(), "cobol") {
		t.Errorf("a convention that does not exist: %v", err)
	}
}

func TestParseBlocked(t *testing.T) {
	full := events.Blocker{Attempted: []string{"looked it up", "asked again"}, Blocker: "the order is archived", Needs: "an archivist"}
	for _, c := range []struct {
		name string
		args any
		want events.Blocker
		err  string
	}{
		{"as defined", `{"attempted":["looked it up","asked again"],"blocker":"the order is archived","needs":"an archivist"}`, full, ""},
		{"bytes", []byte(`{"attempted":["looked it up","asked again"],"blocker":"the order is archived","needs":"an archivist"}`), full, ""},
		{"a value", map[string]any{"attempted": full.Attempted, "blocker": full.Blocker, "needs": full.Needs}, full, ""},
		{"a list of needs, a text of attempts", `{"attempted":"looked","blocker":"gone","needs":["a key","an hour"]}`,
			events.Blocker{Attempted: []string{"looked"}, Blocker: "gone", Needs: "a key; an hour"}, ""},
		{"nothing but the blocker", `{"blocker":"gone","attempted":null,"needs":""}`, events.Blocker{Blocker: "gone"}, ""},
		{"no JSON", `I cannot reach the archive`, events.Blocker{Blocker: "I cannot reach the archive"}, ""},
		{"no blocker", `{"attempted":["all"],"blocker":" "}`, events.Blocker{}, "say in blocker"},
		{"nothing", nil, events.Blocker{}, "say in blocker"},
		{"a number", `{"blocker":7}`, events.Blocker{}, "blocker"},
		{"an array", `["gone"]`, events.Blocker{}, "read blocker"},
	} {
		got, err := worker.ParseBlocked(c.args)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// The model's own call of the tool ends the run; one that names no blocker
// does not.
func TestReportBlocked(t *testing.T) {
	b := newBus(t)
	r := b.run(b.config())
	if err := r.ReportBlocked(testContext(t), `{"attempted":["refund"]}`); err == nil {
		t.Fatal("a report without a blocker is taken")
	}
	if err := r.Turn(events.Turn{Text: "once more"}); err != nil {
		t.Fatalf("the run is over after a report that was not taken: %v", err)
	}
	b.want(events.TurnKind)
	if err := r.ReportBlocked(testContext(t), `{"attempted":["refund"],"blocker":"archived","needs":"an archivist"}`); err != nil {
		t.Fatal(err)
	}
	end := b.want(events.RunEnd).End
	if end.Status != events.Blocked || end.Reason != "archived" || end.Blocked.Needs != "an archivist" || !slices.Equal(end.Blocked.Attempted, []string{"refund"}) {
		t.Errorf("ended %+v", end)
	}
	receiveClosed(t, r)
}

// What reports events without a Run cuts them the same way.
func TestFit(t *testing.T) {
	e := events.Event{
		V: 1, ID: "e", Kind: events.ToolResult, Tenant: "default", Agent: "a", Task: "t", Run: "r", Seq: 1, Round: 1, Time: time.Unix(1_767_600_000, 0),
		Result: &events.Result{CallID: "c", Content: events.RawJSON(`"` + strings.Repeat("x", 9000) + `"`)},
	}
	body, err := worker.Fit(&e, 4000)
	if err != nil {
		t.Fatal(err)
	}
	back, err := events.Decode(body, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !back.Result.Truncated || back.Result.ContentSHA == "" || len(back.Result.Content) > 4100 || !e.Result.Truncated {
		t.Errorf("told %d bytes, truncated %v", len(back.Result.Content), back.Result.Truncated)
	}
	e.Result.CallID = ""
	if _, err := worker.Fit(&e, 4000); err == nil {
		t.Error("an event that nobody takes is told")
	}
}
