package features

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTouchedLines(t *testing.T) {
	x := New(Rules{})
	edit := func(tool, args string) []Hash { return x.Call(tool, []byte(args), "", Unknown, false).Touched }
	text := `"new_text":"first line of it\nsecond line of it\nshort\n"`
	a := edit("edit_file", `{"path":"a.go",`+text+`}`)
	if len(a) != 2 {
		t.Fatalf("%d lines, want the 2 that are long enough", len(a))
	}
	if b := edit("edit_file", `{"path":"b.go",`+text+`}`); cmp.Equal(a, b) {
		t.Error("the target does not count")
	}
	if b := edit("edit_file", `{"path":"a.go","old_text":"first line of it\nsecond line of it",`+text+`}`); !cmp.Equal(a, b) {
		t.Error("a line that is replaced by itself is told twice")
	}
	if b := edit("edit_file", `{"path":"a.go","thought":"first thing I did\nsecond thing I did",`+text+`}`); !cmp.Equal(a, b) {
		t.Error("words beside the act are lines of it")
	}
	if b := edit("edit_file", `{"path":"a.go","new_text":"the only line of it"}`); b != nil {
		t.Error("an argument of one line is a text")
	}
	if b := edit("read_file", `{"path":"a.go",`+text+`}`); b != nil {
		t.Error("a read touches lines")
	}
	if b := bash(x, "cat > a.go <<EOF\nfirst line of it\nsecond line of it\nEOF").Touched; b != nil {
		t.Error("a program has its payloads")
	}
	var many strings.Builder
	for i := range 2 * maxTouched {
		fmt.Fprintf(&many, `line %c%c of many lines\n`, 'a'+i/26, 'a'+i%26)
	}
	if b := edit("edit_file", `{"path":"a.go","text":"`+many.String()+`","more":"`+many.String()+`"}`); len(b) != maxTouched {
		t.Errorf("%d lines, want %d", len(b), maxTouched)
	}
}

func TestHeadline(t *testing.T) {
	x := New(Rules{})
	for n, want := range map[int]struct{ told, headline bool }{
		minFailing - 1: {}, minFailing: {true, true}, longFailing - 1: {true, true}, longFailing: {told: true},
	} {
		r := said(x, "FAIL "+strings.Repeat("x", n-len("FAIL ")))
		if r.Failing != 0 != want.told || r.Headline != want.headline {
			t.Errorf("%d characters: told %v, a headline %v; want %+v", n, r.Failing != 0, r.Headline, want)
		}
	}
}
