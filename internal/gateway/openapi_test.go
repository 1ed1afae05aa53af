package gateway_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/gateway"
	"github.com/loopwatch/loopwatch/internal/schema"
	"github.com/loopwatch/loopwatch/pkg/events"
)

//go:generate go test . -run TestComponentsAreUpToDate -update

var update = flag.Bool("update", false, "write the components of the document instead of comparing them")

// The paths of the document are written by hand; its components are what the
// types say and what docs/schemas publishes.
func TestComponentsAreUpToDate(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(gateway.Document, &doc); err != nil {
		t.Fatal(err)
	}
	doc["components"].(map[string]any)["schemas"] = components(t)
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("openapi.json", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want.String(), string(gateway.Document)); diff != "" {
		t.Errorf("out of date; run go generate ./internal/gateway (-want +have):\n%s", diff)
	}
}

// components are the schemas that the paths refer to.
func components(t *testing.T) map[string]any {
	t.Helper()
	comments := map[string]string{}
	for _, dir := range []string{".", filepath.Join("..", "fleet")} {
		c, err := schema.Comments(os.DirFS(dir))
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(comments, c)
	}
	g := schema.Generator{Comments: comments, Types: map[reflect.Type]*schema.Node{
		reflect.TypeFor[jsontext.Value](): {Ref: "#/$defs/Control"},
		reflect.TypeFor[events.Scope]():   {Ref: "#/$defs/Scope"},
		reflect.TypeFor[events.Reason]():  {Type: "string", Enum: reasons()},
	}}
	all := map[string]any{}
	for name, of := range gateway.Bodies {
		n, err := g.Object(of)
		if err != nil {
			t.Fatal(err)
		}
		n.Description = ""
		all[name] = plain(t, n)
	}
	if _, err := g.Object(reflect.TypeFor[struct {
		D fleet.Detail `json:"d"`
	}]()); err != nil {
		t.Fatal(err)
	}
	for name, n := range g.Defs() {
		all[name] = plain(t, n)
	}
	for _, name := range []string{"Event", "Control", "Verdict"} {
		publish(t, all, name)
	}
	return all
}

func reasons() []string {
	var out []string
	for _, r := range events.Reasons() {
		out = append(out, string(r))
	}
	return out
}

// publish adds a published schema with its definitions.
func publish(t *testing.T, all map[string]any, name string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "schemas", strings.ToLower(name)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(rebased(text), &root); err != nil {
		t.Fatal(err)
	}
	defs, _ := root["$defs"].(map[string]any)
	maps.Copy(all, defs)
	for _, k := range []string{"$defs", "$schema", "$id"} {
		delete(root, k)
	}
	all[name] = root
}

// plain is a schema as the document holds it.
func plain(t *testing.T, n *schema.Node) any {
	t.Helper()
	text, err := n.Text()
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(rebased(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// rebased makes references to definitions references to components.
func rebased(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte("#/$defs/"), []byte("#/components/schemas/"))
}
