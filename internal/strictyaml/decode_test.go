package strictyaml

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/go-cmp/cmp"
)

// garden is a schema with every type that can be read.
type garden struct {
	Name   string         `yaml:"name" doc:"what it is called"`
	Kind   string         `yaml:"kind" bound:"herb|tree" doc:"what grows"`
	Beds   int            `yaml:"beds" bound:"1..20" doc:"how many"`
	Acid   float64        `yaml:"acid" bound:"0..14" doc:"of the soil"`
	Open   bool           `yaml:"open" doc:"to visitors"`
	Fenced *bool          `yaml:"fenced" doc:"where it is known"`
	Water  time.Duration  `yaml:"water" bound:"1s..1h" doc:"how long"`
	Tags   []string       `yaml:"tags" bound:"dry|wet" doc:"what is said of it"`
	Soil   soil           `yaml:"soil" doc:"below"`
	Plots  map[string]bed `yaml:"plots" doc:"by name"`
	hidden int
}

type soil struct {
	Depth int64 `yaml:"depth" bound:"0..9007199254740991" doc:"centimetres"`
	Sand  float64
}

type bed struct {
	Rows int    `yaml:"rows" bound:"..9" doc:"at most nine"`
	Crop string `yaml:"crop" doc:"what stands there"`
}

// read reads a file over a garden and returns it with what was wrong.
func read(text string, g garden) (garden, error) {
	doc, root := Open([]byte(text))
	root.Into(&g)
	return g, doc.Err()
}

func TestIntoReadsEveryType(t *testing.T) {
	got, err := read(`
name: "a: b"
kind: tree
beds: 0x10
acid: 6.5e0
open: true
fenced: false
water: 1m30s
tags: [dry, wet]
soil:
  depth: 9007199254740991
plots:
  north:
    rows: -3
    crop: |-
      two
      lines
  "1": {crop: 'it''s'}
`, garden{})
	if err != nil {
		t.Fatal(err)
	}
	no := false
	want := garden{
		Name: "a: b", Kind: "tree", Beds: 16, Acid: 6.5, Open: true, Fenced: &no, Water: 90 * time.Second,
		Tags: []string{"dry", "wet"}, Soil: soil{Depth: 9007199254740991},
		Plots: map[string]bed{"north": {Rows: -3, Crop: "two\nlines"}, "1": {Crop: "it's"}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(garden{})); diff != "" {
		t.Errorf("garden (-want +got):\n%s", diff)
	}
}

func TestIntoKeepsWhatTheFileDoesNotMention(t *testing.T) {
	yes := true
	base := garden{
		Name: "old", Beds: 3, Fenced: &yes, Tags: []string{"dry"}, Soil: soil{Depth: 5, Sand: 2},
		Plots: map[string]bed{"north": {Rows: 1, Crop: "kale"}}, hidden: 7,
	}
	got, err := read("name: new\ntags: []\nplots: {north: {rows: 2}, south: {rows: 3}}\n", base)
	if err != nil {
		t.Fatal(err)
	}
	want := base
	want.Name, want.Tags = "new", []string{}
	want.Plots = map[string]bed{"north": {Rows: 2, Crop: "kale"}, "south": {Rows: 3}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(garden{})); diff != "" {
		t.Errorf("garden (-want +got):\n%s", diff)
	}
}

func TestIntoNamesWhatIsWrong(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unknown, one letter off", "nam: x", "line 1: nam: is not a known key; did you mean name?"},
		{"unknown", "colour: x", "line 1: colour: is not a known key; there are acid, beds, fenced, kind, name, open, plots, soil, tags, water"},
		{"a field without a tag", "soil: {Sand: 1}", "line 1: soil.Sand: is not a known key; there are depth"},
		{"below", "beds: 0", "line 1: beds: 0 is below 1"},
		{"above", "beds: 21", "line 1: beds: 21 is above 20"},
		{"open below", "plots: {a: {rows: 10}}", "line 1: plots.a.rows: 10 is above 9"},
		{"a fraction", "beds: 1.5", "line 1: beds: want a whole number, got 1.5"},
		{"a word for a number", "acid: sour", `line 1: acid: want a number, got the text "sour"`},
		{"a quoted number", `acid: "1e1"`, `line 1: acid: want a number, got the text "1e1"`},
		{"not a number", "acid: .nan", "line 1: acid: want a number, got .nan"},
		{"infinite", "acid: .inf", "line 1: acid: want a number, got .inf"},
		{"a number for text", "name: 7", "line 1: name: want text, got 7"},
		{"a word for a flag", "open: yes", `line 1: open: want true or false, got the text "yes"`},
		{"no value", "name:", "line 1: name: has no value, want text"},
		{"another word", "kind: bush", `line 1: kind: "bush" is none of herb, tree`},
		{"another word in a list", "tags:\n- dry\n- damp", `line 3: tags[1]: "damp" is none of dry, wet`},
		{"text for a list", "tags: dry", `line 1: tags: want a list, got the text "dry"`},
		{"a list for keys", "soil: [1]", "line 1: soil: want keys and values, got a list"},
		{"keys for a list", "tags: {a: 1}", "line 1: tags: want a list, got keys and values"},
		{"a number for a duration", "water: 5", "line 1: water: want a duration such as 90s or 10m, got 5"},
		{"no duration", "water: soon", `line 1: water: "soon" is no duration such as 90s or 10m`},
		{"a short duration", "water: 1ms", "line 1: water: 1ms is below 1s"},
		{"a long duration", "water: 2h", "line 1: water: 2h is above 1h"},
		{"larger than any number", "soil: {depth: 18446744073709551615}", "line 1: soil.depth: want a smaller number, got 18446744073709551615"},
		{"a key twice", "beds: 1\nbeds: 2", "line 2: beds: occurs twice, first in line 1"},
		{"a long text", "beds: " + strings.Repeat("x", 90), `line 1: beds: want a whole number, got the text "` + strings.Repeat("x", 39) + `…"`},
		{"an anchor", "name: &a x", "line 1: name: want text; anchors, aliases and tags are not read here"},
		{"a tag", "name: !!str 7", "line 1: name: want text; anchors, aliases and tags are not read here"},
		{"a merge", "<<: {name: x}", "line 1: <<: want a plain key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(tt.text, garden{Beds: 3})
			var faults Faults
			if !errors.As(err, &faults) || len(faults) != 1 || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			if got.Beds != 3 && !strings.Contains(tt.name, "twice") {
				t.Errorf("a faulty value was taken: %d beds", got.Beds)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", "line 1: is empty"},
		{"only a comment", "# x", "line 1: is empty"},
		{"a scalar", "x", `line 1: want keys and values, got the text "x"`},
		{"two documents", "a: 1\n---\nb: 2", "line 3: a second document begins here; want one"},
		{"no YAML", "a: 1\nb: 'x", "line 2: is not YAML: could not find end character of single-quoted text"},
		{"not UTF-8", "a: \xff", "line 1: is not UTF-8"},
		{"too large", strings.Repeat("#", MaxBytes+1), "line 1: 65537 bytes are above 65536"},
		{"a block of text inside braces", "a: {b: |-\n  x}", "line 2: is not YAML: ',' or '}' must be specified"},
		{"deep brackets", "a: " + strings.Repeat("{a: ", 40), "line 1: is nested deeper than 16"},
		{"deep dashes", "a:\n" + strings.Repeat("- ", 40) + "x", "line 2: is nested deeper than 16"},
		{"deep question marks", strings.Repeat("? ", 40) + "x", "line 1: is nested deeper than 16"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, root := Open([]byte(tt.text))
			if root.Present() {
				t.Error("there is a value")
			}
			root.Into(&garden{})
			if err := doc.Err(); err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestParserPanicsAreFaults(t *testing.T) {
	root, fault := guarded(func() (ast.Node, *Fault) { panic("index out of range") })
	if root != nil || fault == nil || fault.String() != "line 1: is not YAML: the parser gave up: index out of range" {
		t.Errorf("guarded = %v, %v", root, fault)
	}
}

func TestFaultsOfOthersFindTheirLine(t *testing.T) {
	doc, root := Open([]byte("name: x\nsoil:\n  depth: 1\nplots:\n  a: {rows: 1}\n"))
	root.Into(&garden{})
	doc.Fault("plots.a.crop", "is missing")
	doc.Fault("soil.depth", "is too deep for %s", "x")
	doc.Fault("soil.depth", "is said once only")
	doc.Fault("kind", "is missing")
	want := "g.yaml:1: kind: is missing\ng.yaml:3: soil.depth: is too deep for x\ng.yaml:5: plots.a.crop: is missing"
	var faults Faults
	if !errors.As(doc.Err(), &faults) || faults.In("g.yaml").Error() != want {
		t.Errorf("faults %v, want\n%s", faults.In("g.yaml"), want)
	}
	if !doc.Has("soil.depth") || doc.Has("soil.sand") {
		t.Error("Has does not say what the file says")
	}
}

func TestPeekReportsNothing(t *testing.T) {
	doc, root := Open([]byte("name: x\nbeds: 3\n"))
	if root.Peek("name") != "x" || root.Peek("beds") != "" || root.Peek("kind") != "" {
		t.Error("Peek does not say what is there")
	}
	if (Value{}).Peek("name") != "" {
		t.Error("an absent value has keys")
	}
	if err := doc.Err(); err != nil {
		t.Error(err)
	}
}
