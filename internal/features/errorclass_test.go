package features

import (
	"bytes"
	"strings"
	"testing"
)

func TestErrorClass(t *testing.T) {
	tests := []struct {
		name string
		a, b string
		same bool
	}{
		{"ids", "User 17 not found", "User 23 not found", true},
		{"names with signs", "no user mia_li_3668", "no user omar_rossi_1", true},
		{"quotes", `unknown field "zip"`, `unknown field "city of birth"`, true},
		{"an apostrophe is no quote", "can't find 'a'", "can't find 'b c'", true},
		{"paths", "open /tmp/a: denied", "open src/b.py: denied", true},
		{"times", "failed at 10:00:01", "failed at 11:22:33", true},
		{"camel case", "method getUser missing", "method getOrder missing", true},
		{"numbers in lists", "expected [1, 2] here", "expected [3, 4, 5] here", true},
		{"the exception near the end", "Traceback:\n  x = 1\nKeyError: 'a'", "Traceback:\n  y\n  z\nKeyError: 'b'", true},
		{"lines between first and last", "edit failed\none\nplease retry", "edit failed\ntwo\nthree\nplease retry", true},
		{"case and white space around", "  Not Found\n", "not found", true},
		{"words after an apostrophe", "can't open 'a'", "can't close 'a'", false},
		{"another exception", "KeyError: 'a'", "ValueError: 'a'", false},
		{"other words", "user not found", "user not allowed", false},
		{"other last lines", "edit failed\nsyntax", "edit failed\nindentation", false},
	}
	x := New(Rules{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := failed(x, tt.a), failed(x, tt.b)
			if same := a.Class == b.Class; same != tt.same || a.Class == 0 {
				t.Errorf("same = %v, want %v: %q, %q", same, tt.same, x.errorClass(nil, []byte(tt.a), nil), x.errorClass(nil, []byte(tt.b), nil))
			}
		})
	}
	if said(x, "all is well").Class != 0 {
		t.Error("what is no error has a class")
	}
}

func TestErrorClassReads(t *testing.T) {
	tests := []struct{ in, want string }{
		{`Error: User "x" (id 7), [a/b] gone.`, "error: user <w> id <w>"},
		{"String 'a b' not found in src/x.py", "string <w> not found in <w>"},
		{"first\n\nlast one", "first | last one"},
		{"x\npkg.errors.KeyError: no\n", "<w> no"},
		{"", ""},
		{"   \n ", ""},
	}
	x := New(Rules{})
	for _, tt := range tests {
		if got := string(x.errorClass(nil, []byte(tt.in), nil)); got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestEchoesOfArguments(t *testing.T) {
	x := New(Rules{})
	fail := func(args, message string) Hash {
		c := x.Call("find", []byte(args), "", Unknown, false)
		return failed(x, message, c.Echoes...).Class
	}
	a := fail(`{"city":"Springfield"}`, "Springfield is not served")
	if b := fail(`{"city":"Shelbyville"}`, "Shelbyville is not served"); a != b {
		t.Error("an echoed argument counts")
	}
	if b := fail(`{"city":" New  York City"}`, "(new york city) is not served"); a != b {
		t.Error("an echo of three words counts")
	}
	if b := fail(`{"city":"Springfield"}`, "Shelbyville is not served"); a == b {
		t.Error("a word that no argument holds is folded away")
	}
	if b := fail(`{"city":"is not served anywhere"}`, "Springfield is not served"); a == b {
		t.Error("the error's own words are folded away")
	}
}

func FuzzErrorClass(f *testing.F) {
	for _, s := range []string{"KeyError: 'a'\nb", "`x` getUser(a)", "a\x01b", "'''", "1 2 (3) , x", "Error.Exception"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		x := New(Rules{})
		before := bytes.Clone(text)
		got := x.errorClass(nil, text, []Hash{1})
		if !bytes.Equal(before, text) {
			t.Fatal("the text was changed")
		}
		if len(got) > maxClass || strings.Contains(string(got), "<w> <w>") && !strings.Contains(strings.ToLower(string(text)), "<w>") {
			t.Fatalf("%q", got)
		}
		if again := x.errorClass(nil, text, []Hash{1}); !bytes.Equal(got, again) {
			t.Fatalf("%q, then %q", got, again)
		}
	})
}
