package strictyaml

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shout reads text in capitals only.
type shout string

func (s *shout) ReadYAML(v Value) {
	text, ok := v.Text()
	switch {
	case !ok:
	case text != strings.ToUpper(text):
		v.Fault("%q is not loud at %s", text, v.Path())
	default:
		*s = shout(text)
	}
}

// crowd reads names with shouts, in any number.
type crowd map[string]shout

func (c *crowd) ReadYAML(v Value) {
	*c = crowd{}
	for _, m := range v.Members() {
		var s shout
		m.Value.Set(&s, "")
		(*c)[m.Key] = s
	}
}

type hall struct {
	Door  shout  `yaml:"door"`
	Sign  *shout `yaml:"sign"`
	Crowd crowd  `yaml:"crowd"`
}

func TestReadersReadThemselves(t *testing.T) {
	doc, root := Open([]byte("door: OPEN\nsign: EXIT\ncrowd: {a: HO, b: HEY}\n"))
	var h hall
	root.Into(&h)
	if err := doc.Err(); err != nil {
		t.Fatal(err)
	}
	exit := shout("EXIT")
	if diff := cmp.Diff(hall{Door: "OPEN", Sign: &exit, Crowd: crowd{"a": "HO", "b": "HEY"}}, h); diff != "" {
		t.Errorf("hall (-want +got):\n%s", diff)
	}
}

func TestReadersReportThroughTheirValue(t *testing.T) {
	doc, root := Open([]byte("door: open\nsign: 7\ncrowd:\n  a: HO\n  b: hey\n"))
	var h hall
	root.Into(&h)
	want := `line 1: door: "open" is not loud at door
line 2: sign: want text, got 7
line 5: crowd.b: "hey" is not loud at crowd.b`
	if err := doc.Err(); err == nil || err.Error() != want {
		t.Errorf("error %v, want\n%s", err, want)
	}
	if h.Door != "" || h.Crowd["a"] != "HO" {
		t.Errorf("hall is %+v", h)
	}
}

func TestSeveralTargetsShareAMapping(t *testing.T) {
	var g struct {
		Name string `yaml:"name"`
	}
	var b bed
	doc, root := Open([]byte("name: x\nrows: 2\ncolour: red\n"))
	root.Into(&g, &b)
	if g.Name != "x" || b.Rows != 2 {
		t.Errorf("read %+v and %+v", g, b)
	}
	want := "line 3: colour: is not a known key; there are crop, name, rows"
	if err := doc.Err(); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestNothingIsKnownHere(t *testing.T) {
	doc, root := Open([]byte("rows: 2\n"))
	root.Into(&struct{}{})
	if err := doc.Err(); err == nil || err.Error() != "line 1: rows: is not a known key; there are none here" {
		t.Errorf("error %v", err)
	}
}

func TestSetHoldsABound(t *testing.T) {
	doc, root := Open([]byte("rows: 12\n"))
	n := 3
	for _, m := range root.Members() {
		m.Value.Set(&n, "1..9")
	}
	if err := doc.Err(); err == nil || err.Error() != "line 1: rows: 12 is above 9" || n != 3 {
		t.Errorf("n = %d, error %v", n, err)
	}
}

func TestNearKeys(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"nam", "name", true}, {"nmae", "name", true}, {"names", "name", true}, {"", "name", false},
		{"occurence", "occurrence", true}, {"red", "run", false}, {"colour", "crop", false}, {"ab", "abc", false},
	}
	for _, tt := range tests {
		if got := near(tt.a, tt.b); got != tt.want {
			t.Errorf("near(%q, %q) = %v", tt.a, tt.b, got)
		}
	}
}
