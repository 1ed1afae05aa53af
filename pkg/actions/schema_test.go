package actions

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loopwatch/loopwatch/internal/schema"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// published schemas of what a worker is told.
var published = []struct {
	file, title string
	of          reflect.Type
}{
	{"control.json", "loopwatch control message, version 1", reflect.TypeFor[Control]()},
	{"verdict.json", "loopwatch verdict, version 1", reflect.TypeFor[Verdict]()},
}

func schemaPath(file string) string { return filepath.Join("..", "..", "docs", "schemas", file) }

func TestSchemasAreUpToDate(t *testing.T) {
	comments, err := schema.Comments(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range published {
		g := schema.Generator{Comments: comments, Types: map[reflect.Type]*schema.Node{
			reflect.TypeFor[Kind]():           {Type: "string", Enum: []string{string(Inject), string(HaltRun), string(Escalate)}},
			reflect.TypeFor[Ruling]():         {Type: "string", Enum: []string{string(Allow), string(ReplayCall), string(RefuseCall)}},
			reflect.TypeFor[Reason]():         {Type: "string"},
			reflect.TypeFor[time.Time]():      {Type: "string", Format: "date-time"},
			reflect.TypeFor[jsontext.Value](): {Description: "any JSON"},
		}}
		root, err := g.Object(p.of)
		if err != nil {
			t.Fatal(err)
		}
		root.Schema, root.Title, root.Defs = schema.Draft, p.title, g.Defs()
		root.ID = "https://github.com/loopwatch/loopwatch/docs/schemas/" + p.file
		want, err := root.Text()
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(schemaPath(p.file), want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(schemaPath(p.file))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(have), string(want)); d != "" {
			t.Errorf("%s is out of date; go test ./pkg/actions -update writes it (-published +types):\n%s", p.file, d)
		}
	}
}

// AsyncAPI names the addresses that the code uses and schemas that exist.
func TestAsyncAPINamesWhatExists(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "asyncapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{
		events.EventSubject("{tenant}", "{agent}", "{task}", "{run}"),
		events.ControlSubject("{tenant}", "{agent}", "{run}"),
		events.VerdictSubject("{tenant}", "{agent}", "{run}", "{token}"),
	} {
		if !strings.Contains(string(doc), "address: "+address+"\n") {
			t.Errorf("the document lacks the address %s", address)
		}
	}
	for l := range strings.Lines(string(doc)) {
		_, file, ok := strings.Cut(l, "{$ref: schemas/")
		if !ok {
			continue
		}
		if _, err := os.Stat(schemaPath(strings.TrimRight(file, "}\n"))); err != nil {
			t.Errorf("the document refers to a schema that is not there: %v", err)
		}
	}
	for _, h := range []string{events.HeaderMsgID, events.HeaderCheck, SignatureHeader} {
		if !strings.Contains(string(doc), h+":") {
			t.Errorf("the document lacks the header %s", h)
		}
	}
}

// What is rendered is what the published schema says.
func TestRenderedMessagesFitTheirSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(schemaPath("control.json"))
	if err != nil {
		t.Fatal(err)
	}
	status := "stuck"
	for _, k := range []Kind{Inject, HaltRun, Escalate} {
		ctl := Control{
			V: Version, ID: "ctl_1", Kind: k, Tenant: "default", Agent: "a", Task: "t", Run: "r", Time: time.Unix(1, 0).UTC(),
			Expires: time.Unix(2, 0).UTC(), Detector: "repeat", Incident: "inc_1", Rung: 1, Reason: Acted, N: 1,
			Evidence: Proof{Events: []string{"e1"}, StreamSeqs: []uint64{1}}, Policy: "default@00000000",
			Cause: Cause{Event: "e1", Seq: 1, Round: 1},
		}
		switch k {
		case Inject:
			ctl.Observation = &Observation{Role: "system", Content: "x"}
			ctl.Replay = &Replayed{CallID: "c2", OfCallID: "c1"}
		case HaltRun:
			ctl.EndStatus = &status
		}
		body, err := ctl.Encode()
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", k, err)
		}
	}
	wrong, err := jsonschema.UnmarshalJSON(strings.NewReader(fmt.Sprintf(`{"v":%q}`, "one")))
	if err != nil {
		t.Fatal(err)
	}
	if s.Validate(wrong) == nil {
		t.Error("a version in words fits the schema")
	}
}
