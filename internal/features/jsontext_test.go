package features

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestUnquote(t *testing.T) {
	tests := []struct {
		name, in, want string
		end            int // -1 where the string is malformed
	}{
		{"plain", `"ab" x`, "ab", 4},
		{"empty", `""`, "", 2},
		{"escapes", `"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", 18},
		{"a sign by number", `"\u00e9\u4E2D"`, "é中", 14},
		{"a pair", `"\ud83d\ude00"`, "😀", 14},
		{"a high half alone", `"\ud83dx"`, "\xed\xa0\xbdx", 9},
		{"a low half alone", `"\ude00"`, "\xed\xb8\x80", 8},
		{"two high halves", `"\ud83d\ud83d"`, "\xed\xa0\xbd\xed\xa0\xbd", 14},
		{"bytes that are no UTF-8", "\"\xff\"", "\xff", 3},
		{"no end", `"ab`, "", -1},
		{"an end that is escaped", `"ab\"`, "", -1},
		{"an unknown escape", `"\x41"`, "", -1},
		{"a number too short", `"\u12"`, "", -1},
		{"a number that is none", `"\u12g4"`, "", -1},
		{"a newline inside", "\"a\nb\"", "", -1},
		{"no string", `ab`, "", -1},
		{"nothing", ``, "", -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, end, ok := unquote(nil, []byte(tt.in), 0)
			if ok != (tt.end >= 0) || ok && (string(got) != tt.want || end != tt.end) {
				t.Errorf("%q, end %d, %v; want %q, %d", got, end, ok, tt.want, tt.end)
			}
		})
	}
}

func TestUnquoteReadsWhatIsMarshalled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		got, end, ok := unquote([]byte("x"), b, 0)
		if !ok || end != len(b) || string(got) != "x"+s {
			t.Fatalf("%s becomes %q", b, got)
		}
	})
}

func TestSkipValue(t *testing.T) {
	tests := []struct {
		in   string
		rest string
		ok   bool
	}{
		{`1, 2`, `, 2`, true},
		{`true}`, `}`, true},
		{`"a}\"]",`, `,`, true},
		{`{"a":[1,{"b":"]"}]}]`, `]`, true},
		{`[]x`, `x`, true},
		{` null `, ` `, true},
		{`[1`, ``, false},
		{`{"a`, ``, false},
		{`]`, ``, false},
		{``, ``, false},
	}
	for _, tt := range tests {
		end, ok := skipValue([]byte(tt.in), 0)
		if ok != tt.ok || ok && tt.in[end:] != tt.rest {
			t.Errorf("%s: left %q, %v; want %q, %v", tt.in, tt.in[end:], ok, tt.rest, tt.ok)
		}
	}
	deep := strings.Repeat("[", 1_000_000)
	if _, ok := skipValue([]byte(deep+strings.Repeat("]", len(deep))), 0); !ok {
		t.Error("a deep value is not passed over")
	}
}

func TestNumbers(t *testing.T) {
	tests := []struct{ in, want string }{
		{"0", "n0;"}, {"-0.00", "n0;"}, {"0e9", "n0;"},
		{"1", "n1e0;"}, {"10", "n1e1;"}, {"1.0", "n1e0;"}, {"100e-2", "n1e0;"}, {"0.001E+3", "n1e0;"},
		{"-12.50", "n-125e-1;"}, {"9007199254740993", "n9007199254740993e0;"},
		{"0.1", "n1e-1;"}, {"1e400", "n1e400;"}, {"1e9999999999", "n1e9999999999;"},
	}
	for _, tt := range tests {
		end, _, ok := numberEnd([]byte(tt.in), 0)
		if got := string(appendNumber(nil, []byte(tt.in))); !ok || end != len(tt.in) || got != tt.want {
			t.Errorf("%s becomes %s, want %s", tt.in, got, tt.want)
		}
	}
	for _, in := range []string{"", "-", "01", "-01", ".5", "1.", "1.e5", "1e", "1e+", "+1", "x"} {
		if end, _, ok := numberEnd([]byte(in), 0); ok && end == len(in) {
			t.Errorf("%q is taken for a number", in)
		}
	}
}

func TestArgumentsOfACall(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string // name=value; nil where there is no object
	}{
		{"sorted by name", `{"b":1,"a":[2]}`, []string{"a=[2]", "b=1"}},
		{"white space", " { \"a\" : 1 , \"b\" :\n\"x\" } ", []string{"a=1", `b="x"`}},
		{"the last of equal names", `{"a":1,"b":2,"a":3}`, []string{"a=3", "b=2"}},
		{"escaped names", `{"\u0061":1}`, []string{"a=1"}},
		{"none", `{}`, []string{}},
		{"an array", `[1]`, nil},
		{"text behind it", `{"a":1} x`, nil},
		{"a comma too few", `{"a":1 "b":2}`, nil},
		{"a colon too few", `{"a" 1}`, nil},
		{"a name that is none", `{a:1}`, nil},
		{"no end", `{"a":1`, nil},
		{"nothing", ``, nil},
	}
	x := New(Rules{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ok := x.readArgs([]byte(tt.in))
			if ok != (tt.want != nil) {
				t.Fatalf("an object: %v", ok)
			}
			got := []string{}
			for _, m := range x.members {
				got = append(got, string(m.name)+"="+string(m.raw))
			}
			if diff := cmp.Diff(tt.want, got); ok && diff != "" {
				t.Error(diff)
			}
		})
	}
}
