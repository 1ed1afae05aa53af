package schema_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/schema"
)

var update = flag.Bool("update", false, "write golden files instead of comparing them")

type colour string

type crate struct {
	Name   string    `json:"name"`
	Colour colour    `json:"colour,omitempty"`
	Sealed bool      `json:"sealed,omitzero"`
	Weight *float64  `json:"weight,omitzero"`
	Count  int       `json:"count"`
	Packed time.Time `json:"packed,omitzero"`
	Owner  *owner    `json:"owner,omitzero"`
	Inside []crate   `json:"inside,omitempty"`
}

type owner struct {
	Mail string `json:"mail"`
}

func crates() *schema.Generator {
	return &schema.Generator{
		Comments: map[string]string{"crate": "A crate.", "crate.Name": "what stands on it", "owner": "Whose it is."},
		Types: map[reflect.Type]*schema.Node{
			reflect.TypeFor[colour](): {Type: "string", Enum: []string{"red", "blue"}},
			reflect.TypeFor[int]():    (schema.Node{Type: "integer"}).Between(0, 9),
		},
		Fields: map[string]func(*schema.Node){
			"crate.name": func(n *schema.Node) { n.MinLength = 1 },
			"owner.mail": func(n *schema.Node) { n.Pattern = "@" },
		},
	}
}

func TestObjectMatchesGolden(t *testing.T) {
	g := crates()
	root, err := g.Object(reflect.TypeFor[crate]())
	if err != nil {
		t.Fatal(err)
	}
	root.Schema, root.Defs = schema.Draft, g.Defs()
	text, err := root.Text()
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "crate.json")
	if *update {
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("(-golden +got):\n%s", diff)
	}
	if unused := g.Unused(); unused != nil {
		t.Errorf("unused rules %q", unused)
	}
}

func TestObjectNamesItsRequiredFields(t *testing.T) {
	root, err := crates().Object(reflect.TypeFor[crate]())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"name", "count"}, root.Required); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestObjectLeavesSharedSchemasAlone(t *testing.T) {
	g := crates()
	g.Fields["crate.colour"] = func(n *schema.Node) { n.Default = "red" }
	if _, err := g.Object(reflect.TypeFor[crate]()); err != nil {
		t.Fatal(err)
	}
	if own := g.Types[reflect.TypeFor[colour]()]; own.Default != nil || own.Description != "" {
		t.Errorf("the schema of the type was changed: %+v", own)
	}
}

func TestObjectRefuses(t *testing.T) {
	tests := []struct {
		name string
		of   reflect.Type
		want string
	}{
		{"a field without a json name", reflect.TypeFor[struct{ A int }](), "no json name"},
		{"a field that is left out", reflect.TypeFor[struct {
			A int `json:"-"`
		}](), "no json name"},
		{"a map", reflect.TypeFor[struct {
			A map[string]int `json:"a"`
		}](), "no schema for a map"},
		{"a map further down", reflect.TypeFor[struct {
			A []struct {
				B map[string]int `json:"b"`
			} `json:"a"`
		}](), "no schema for a map"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := (&schema.Generator{}).Object(tt.of)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v", n, err)
			}
		})
	}
}

func TestUnusedRules(t *testing.T) {
	g := crates()
	g.Fields["crate.lid"] = func(*schema.Node) {}
	if _, err := g.Object(reflect.TypeFor[crate]()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"crate.lid"}, g.Unused()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestComments(t *testing.T) {
	dir := fstest.MapFS{
		"a.go": {Data: []byte(`package p

// Crate is a box
// of wood.
type Crate struct {
	Name string // what stands on it
	A, B int    // both
	// Bare has no comment beside it.
	Bare int
}

type (
	// Lid closes it.
	Lid struct{ Open bool }
)

func f() {}
`)},
		"b.txt": {Data: []byte("not Go")},
	}
	got, err := schema.Comments(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"Crate": "Crate is a box of wood.", "Crate.Name": "what stands on it", "Crate.A": "both", "Crate.B": "both",
		"Lid": "Lid closes it.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	dir["c.go"] = &fstest.MapFile{Data: []byte("package")}
	if _, err := schema.Comments(dir); err == nil || !strings.Contains(err.Error(), "parse c.go") {
		t.Errorf("broken Go: %v", err)
	}
}
