package features

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// describe writes a script's commands one a line: their words between bars, then
// what is redirected and what is read from a pipe or a document.
func describe(s *script) []string {
	var lines []string
	for i, c := range s.commands {
		var words []string
		for _, w := range s.words[c.first:c.last] {
			words = append(words, string(s.bytes(w)))
		}
		line := strings.Join(words, "|")
		if c.writes {
			line += " > " + string(s.bytes(c.target))
		}
		if c.piped {
			line += " (piped)"
		}
		for _, d := range s.docs {
			if d.command == i {
				line += fmt.Sprintf(" (reads %q)", s.src[d.body.from:d.body.to])
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func TestScript(t *testing.T) {
	tests := []struct {
		name, src string
		want      []string
	}{
		{"words", "ls  -l\ta", []string{"ls|-l|a"}},
		{"separators", "a; b && c || d & e\nf", []string{"a", "b", "c", "d", "e", "f"}},
		{"a pipe", "a | b |& c || d", []string{"a", "b (piped)", "c", "d"}},
		{"single quotes", `grep 'a; b | c' f`, []string{"grep|a; b | c|f"}},
		{"double quotes", `echo "a \" ; b" c`, []string{`echo|a \" ; b|c`}},
		{"quotes inside a word", `--x='a b'c d`, []string{`--x='a b'c|d`}},
		{"an escaped blank", `cat a\ b`, []string{`cat|a\ b`}},
		{"a line goes on", "ls \\\n -l", []string{"ls|\\\n|-l"}},
		{"a comment", "# a; b\nls # c; d\ne#f", []string{"ls", "e#f"}},
		{"a substitution", `echo $(a; b | c) "$(d)" e`, []string{"echo|$(a; b | c)|$(d)|e"}},
		{"an old substitution", "echo `a; b` c", []string{"echo|`a; b`|c"}},
		{"arithmetic", `echo $((1 > 2)) a`, []string{"echo|$((1 > 2))|a"}},
		{"a subshell", `(a; b) && c`, []string{"a", "b", "c"}},
		{"input", "a < f b", []string{"a|b"}},
		{"a process as input", "diff <(a; b) c", []string{"diff|<(a; b)|c"}},
		{"output", "a > f b", []string{"a|b > f"}},
		{"output to a quoted name", `a > "f g"`, []string{"a > f g"}},
		{"appended, without blanks", "a>>f", []string{"a > f"}},
		{"over a protection", "a >| f", []string{"a > f"}},
		{"two files: the first counts", "a > f > g", []string{"a > f"}},
		{"errors into a file", "a 2> f", []string{"a > f"}},
		{"an argument that is a number", "a 2 > f", []string{"a|2 > f"}},
		{"both into a file", "a &> f; b >& g", []string{"a > f", "b > g"}},
		{"descriptors", "a 2>&1 >&2 >&-", []string{"a"}},
		{"nowhere", "a >/dev/null 2>/dev/stderr", []string{"a"}},
		{"only a redirection", "> f", []string{" > f"}},
		{"a comparison", "[[ a < b ]] && [[ c > d ]]", []string{"[[|a|b|]]", "[[|c|d|]]"}},
		{"a document", "a <<EOF b\none; two\n  EOF\nEOF\nc", []string{`a|b (reads "one; two\n  EOF")`, "c"}},
		{"a quoted document", "a <<'E F' > f\n$(x)\nE F\n", []string{`a > f (reads "$(x)")`}},
		{"a document behind tabs", "a <<-X\n\tone\n\tX\nb", []string{`a (reads "\tone")`, "b"}},
		{"an empty document", "a <<X\nX\nb", []string{`a (reads "")`, "b"}},
		{"a document in a pipe", "a <<X | b\none\nX", []string{`a (reads "one")`, "b (piped)"}},
		{"two documents", "a <<X; b <<Y\none\nX\ntwo\nY\nc", []string{`a (reads "one")`, `b (reads "two")`, "c"}},
		{"a document without end", "a <<X\none\ntwo", []string{`a (reads "one\ntwo")`}},
		{"its mark at the beginning of a longer word", "a <<X\nXY\nX", []string{`a (reads "XY")`}},
		{"a subshell closed behind a document", "(a <<X\none\nX\n) && b", []string{`a (reads "one")`, "b"}},
		{"a here-string", "a <<< 'b; c' d", []string{"a|d"}},
		{"a mark that is missing", "a <<", []string{"a"}},
		{"an open quote", "a 'b; c", []string{"a|'b; c"}},
		{"an open substitution", "a $(b; c", []string{"a|$(b; c"}},
		{"nothing", " \n ; ", nil},
	}
	var s script
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.parse([]byte(tt.src))
			if diff := cmp.Diff(tt.want, describe(&s)); diff != "" {
				t.Errorf("%q:\n%s", tt.src, diff)
			}
		})
	}
}

func TestCommandBehindItsPrefixes(t *testing.T) {
	tests := []struct{ src, want string }{
		{"ls -l", "ls -l"},
		{"A=1 B='x y' ls", "ls"},
		{"sudo -n -E ls", "ls"},
		{"timeout -k 5 10s python x.py", "python x.py"},
		{"env -i PATH=/bin ls", "ls"},
		{"time nohup nice -n 5 make", "make"},
		{"if ! grep -q x f", "grep -q x f"},
		{"while true", "true"},
		{"for x in a b", ""},
		{"done", ""},
		{"A=1", ""},
		{"1=2 x", "1=2 x"},
		{"a-b=1 x", "a-b=1 x"},
	}
	var s script
	for _, tt := range tests {
		s.parse([]byte(tt.src))
		var words []string
		for _, w := range s.args(s.commands[0]) {
			words = append(words, string(s.bytes(w)))
		}
		if got := strings.Join(words, " "); got != tt.want {
			t.Errorf("%q runs %q, want %q", tt.src, got, tt.want)
		}
	}
}
