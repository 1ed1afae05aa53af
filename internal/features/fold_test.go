package features

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sundry is the folding that changes most: case, identifiers, white space everywhere, two decimals.
var sundry = Fold{
	LowerStrings:  true,
	UpperFields:   []string{"order_id", "item_id", "tracking_number", "seller_id"},
	Collapse:      CollapseAll,
	FloatDecimals: 2,
	Narration:     []string{},
}

func TestCallKey(t *testing.T) {
	tests := []struct {
		name  string
		rules Rules
		tool  string
		a, b  string
		same  bool
	}{
		{"white space in one line", Rules{}, "search", `{"q":" foo  bar "}`, `{"q":"foo bar"}`, true},
		{"no-break and other blanks", Rules{}, "search", `{"q":"foo\u00a0\u2003bar"}`, `{"q":"foo bar"}`, true},
		{"blank lines around a text", Rules{}, "edit", `{"new":"\n\na\n b\n\n"}`, `{"new":"a\n b"}`, true},
		{"indentation in a text of lines", Rules{}, "edit", `{"new":"if x:\n  y"}`, `{"new":"if x:\n    y"}`, false},
		{"indentation of the first of many lines", Rules{}, "edit", `{"new":"  a\n  b"}`, `{"new":"a\n  b"}`, false},
		{"trailing newline of one line", Rules{}, "bash", `{"command":"ls  -l\n"}`, `{"command":"ls -l"}`, true},
		{"blanks between words of a command", Rules{}, "bash", `{"command":"grep   -n x"}`, `{"command":"grep -n x"}`, true},
		{"blanks inside quotes of a command", Rules{}, "bash", `{"command":"grep 'a  b' f"}`, `{"command":"grep 'a b' f"}`, false},
		{"an escaped blank of a command", Rules{}, "bash", `{"command":"cat a\\  b"}`, `{"command":"cat a\\ b"}`, false},
		{"case", Rules{}, "search", `{"q":"Foo"}`, `{"q":"foo"}`, false},
		{"narration", Rules{}, "search", `{"q":"x","reason":"first"}`, `{"q":"x","reason":"again"}`, true},
		{"a request's own id", Rules{}, "search", `{"q":"x","request_id":"r1"}`, `{"q":"x"}`, true},
		{"narration alone identifies", Rules{}, "finish", `{"reason":"a"}`, `{"reason":"b"}`, false},
		{"narration further down identifies", Rules{}, "s", `{"q":{"reason":"a"}}`, `{"q":{"reason":"b"}}`, false},
		{"a thought is what a think tool has", Rules{}, "think", `{"thought":"a","topic":1}`, `{"thought":"b","topic":1}`, false},
		{"fractions", Rules{}, "pay", `{"sum":1.001}`, `{"sum":1.002}`, false},
		{"empty and absent arguments", Rules{}, "status", `{}`, ``, true},
		{"null and absent arguments", Rules{}, "status", `null`, ``, true},
		{"equal opaque values", Rules{}, "s", `{"q":{"$h":"ab12"}}`, `{ "q" : {"$h":"ab12"} }`, true},
		{"different opaque values", Rules{}, "s", `{"q":{"$h":"ab12"}}`, `{"q":{"$h":"ab13"}}`, false},
		{"an escaped name", Rules{}, "s", `{"\u0071":1}`, `{"q":1}`, true},
		{"the last of equal names", Rules{}, "s", `{"q":1,"q":2}`, `{"q":2}`, true},

		{"sundry: case", Rules{Fold: sundry}, "s", `{"name":"Ann ÄB"}`, `{"name":"ann äb"}`, true},
		{"sundry: identifiers", Rules{Fold: sundry}, "s", `{"order_id":"ab-1"}`, `{"order_id":"AB-1"}`, true},
		{"sundry: identifiers further down", Rules{Fold: sundry}, "s", `{"o":[{"item_id":"x"}]}`, `{"o":[{"item_id":"X"}]}`, true},
		{"sundry: lines", Rules{Fold: sundry}, "s", `{"note":"a\n  b"}`, `{"note":"a b"}`, true},
		{"sundry: quotes are no exception", Rules{Fold: sundry}, "bash", `{"command":"grep 'a  b'"}`, `{"command":"grep 'a b'"}`, true},
		{"sundry: two decimals", Rules{Fold: sundry}, "s", `{"p":19.999}`, `{"p":20.001}`, true},
		{"sundry: the second decimal", Rules{Fold: sundry}, "s", `{"p":19.98}`, `{"p":19.99}`, false},
		{"sundry: keys keep their case", Rules{Fold: sundry}, "s", `{"o":{"Q":"x"}}`, `{"o":{"q":"x"}}`, false},
		{"sundry: no narration", Rules{Fold: sundry}, "s", `{"q":"x","reason":"a"}`, `{"q":"x","reason":"b"}`, false},

		{"identity of a tool", Rules{Tools: map[string]ToolRule{"s": {Identity: []string{"id"}}}}, "s", `{"id":1,"page":1}`, `{"page":2,"id":1}`, true},
		{"identity that differs", Rules{Tools: map[string]ToolRule{"s": {Identity: []string{"id"}}}}, "s", `{"id":1}`, `{"id":2}`, false},
		{"identity of another tool", Rules{Tools: map[string]ToolRule{"t": {Identity: []string{"id"}}}}, "s", `{"id":1,"page":1}`, `{"id":1,"page":2}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := New(tt.rules)
			call := func(args string) Call {
				if args == "" {
					return x.Call(tt.tool, nil, "", Unknown, false)
				}
				return x.Call(tt.tool, []byte(args), "", Unknown, false)
			}
			a, b := call(tt.a), call(tt.b)
			if same := a.Key == b.Key; same != tt.same {
				t.Errorf("%s and %s: same = %v, want %v", tt.a, tt.b, same, tt.same)
			}
			if a.Exact == b.Exact && a.Key != b.Key {
				t.Error("exactly equal calls have different keys")
			}
		})
	}
}

func TestCallKeyOfTextThatIsNoJSON(t *testing.T) {
	x := New(Rules{})
	raw := func(s string) Call { return x.Call("edit", nil, s, Unknown, false) }
	if raw(`{"path": "a`).Key != raw(` {"path":  "a `).Key {
		t.Error("white space in one line counts")
	}
	if raw(`{"path": "a`).Key == raw(`{"path": "b`).Key {
		t.Error("different texts are the same call")
	}
	if raw("").Key == raw("x").Key || raw("x").NoArgs || !raw("").NoArgs {
		t.Error("a text is taken for no arguments")
	}
	if x.Call("edit", []byte("{}"), "x", Unknown, false).Key != raw("x").Key {
		t.Error("empty arguments hide the text")
	}
}

func TestCallsOfDifferentToolsDiffer(t *testing.T) {
	x := New(Rules{})
	a, b := x.Call("ab", []byte(`{"c":1}`), "", Unknown, false), x.Call("a", []byte(`{"c":1}`), "", Unknown, false)
	if a.Tool == b.Tool || a.Key == b.Key || a.Exact == b.Exact {
		t.Errorf("%+v and %+v share an identity", a, b)
	}
}

func TestKeyDoesNotChangeDecisions(t *testing.T) {
	x, y := New(Rules{}), New(Rules{Key: Key{1}})
	calls := []string{`{"q":"a"}`, `{"q": "a "}`, `{"q":"b"}`, `{}`}
	for i, a := range calls {
		for _, b := range calls[i:] {
			ax, bx := x.Call("s", []byte(a), "", Unknown, false), x.Call("s", []byte(b), "", Unknown, false)
			ay, by := y.Call("s", []byte(a), "", Unknown, false), y.Call("s", []byte(b), "", Unknown, false)
			if (ax.Key == bx.Key) != (ay.Key == by.Key) || ax.Key == ay.Key {
				t.Errorf("%s and %s: equality depends on the key, or the key is not used", a, b)
			}
		}
	}
}

func TestHashOfPartsKeepsTheirBounds(t *testing.T) {
	x := New(Rules{})
	if x.Hash("ab", "c") == x.Hash("a", "bc") || x.Hash("a") == x.Hash("a", "") || x.Hash() == 0 {
		t.Error("parts run into each other")
	}
	if b := []byte("a"); x.sum(domainParts, b) == x.sum(domainJSON, b) {
		t.Error("two kinds of things share a hash")
	}
	if first := x.Hash("a", "b"); x.Hash("a", "b") != first {
		t.Error("the same parts have two hashes")
	}
}

func TestCollapsingTwiceChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("ab '\"\\\n\t\u2003é"))).Draw(t, "text")
		for _, f := range []Fold{{}, sundry} {
			for _, command := range []bool{false, true} {
				once := string(f.text([]byte(s), false, command))
				if twice := string(f.text([]byte(once), false, command)); once != twice {
					t.Fatalf("%q becomes %q, then %q", s, once, twice)
				}
			}
		}
		if got, want := string(collapse([]byte(s), false)), strings.Join(strings.Fields(s), " "); got != want {
			t.Fatalf("%q becomes %q, want %q", s, got, want)
		}
	})
}
