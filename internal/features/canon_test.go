package features

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestHashJSON(t *testing.T) {
	tests := []struct {
		name string
		a, b string
		same bool
	}{
		{"order of keys", `{"a":1,"b":[2,{"x":1,"y":2}]}`, `{"b":[2,{"y":2,"x":1}],"a":1}`, true},
		{"white space between tokens", `{"a":[1,2]}`, " { \"a\" :\n[ 1 ,\t2 ] } ", true},
		{"escapes", `"a\u0062\/é"`, `"ab/\u00e9"`, true},
		{"a pair of surrogates is its sign", `"\ud83d\ude00"`, `"😀"`, true},
		{"form of a number", `[1, 100, 0.5]`, `[1.0, 1e2, 5E-1]`, true},
		{"zero has no sign", `[0, -0, 0.0]`, `[-0.0, 0e5, 0]`, true},
		{"the last of equal keys stands", `{"a":1,"b":0,"a":2}`, `{"b":0,"a":2}`, true},
		{"empty containers", `[{},[]]`, ` [ { } , [ ] ] `, true},

		{"order of elements", `[1,2]`, `[2,1]`, false},
		{"integers beyond 2^53", `9007199254740993`, `9007199254740992`, false},
		{"a number and its text", `{"a":1}`, `{"a":"1"}`, false},
		{"null and absent", `{"a":null}`, `{}`, false},
		{"true and false", `true`, `false`, false},
		{"white space inside a string", `"a b"`, `"a  b"`, false},
		{"case of a string", `"A"`, `"a"`, false},
		{"where one string ends", `["a","bc"]`, `["ab","c"]`, false},
		{"half surrogates", `"\ud83d"`, `"\ud83e"`, false},
		{"nesting", `[[1],2]`, `[[1,2]]`, false},
		{"signs", `-1`, `1`, false},
		{"powers of ten", `10`, `1`, false},
		{"opaque values", `{"q":{"$h":"aa"}}`, `{"q":{"$h":"bb"}}`, false},
	}
	x := New(Rules{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if same := x.HashJSON([]byte(tt.a)) == x.HashJSON([]byte(tt.b)); same != tt.same {
				t.Errorf("%s and %s: same = %v, want %v", tt.a, tt.b, same, tt.same)
			}
		})
	}
}

func TestHashJSONOfWhatIsNoJSON(t *testing.T) {
	x := New(Rules{})
	if h := x.HashJSON(nil); h != 0 {
		t.Errorf("nil has hash %d, want 0", h)
	}
	seen := map[Hash]string{}
	for _, raw := range []string{"", " ", "{", `{"a"}`, `{"a":1,}`, "[1,]", "01", "1.", "1e", "-", "+1", `"a`, "\"a\nb\"", "tru", `{"a":1} x`, `"\x"`, `"\u12"`} {
		h := x.HashJSON([]byte(raw))
		if other, ok := seen[h]; h == 0 || ok {
			t.Errorf("%q: hash %d, as %q", raw, h, other)
		}
		seen[h] = raw
	}
}

func TestHashJSONOfDeepNesting(t *testing.T) {
	x := New(Rules{})
	deep := func(open, in, close string, n int) []byte {
		return []byte(strings.Repeat(open, n) + in + strings.Repeat(close, n))
	}
	for _, n := range []int{1, maxDepth, maxDepth + 1, 10_000} {
		a := x.HashJSON(deep("[", "1", "]", n))
		if b := x.HashJSON(deep("[", "1", "]", n)); a != b {
			t.Errorf("depth %d: the same value has two hashes", n)
		}
		if b := x.HashJSON(deep("[", "2", "]", n)); a == b {
			t.Errorf("depth %d: the innermost value does not count", n)
		}
		x.HashJSON(deep(`{"b":0,"a":`, "1", "}", n))
	}
	if a, b := x.HashJSON(deep("[", "1", "]", 10_000)), x.HashJSON(deep("[", "1", "]", 9_999)); a == b {
		t.Error("depth does not count")
	}
}

// jsonValue draws a JSON value as encoding/json would decode it.
func jsonValue(depth int) *rapid.Generator[any] {
	scalars := rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.Int64(), func(i int64) any { return i }),
		rapid.Map(rapid.Float64Range(-1e9, 1e9), func(f float64) any { return f }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
	)
	if depth == 0 {
		return scalars
	}
	return rapid.OneOf(scalars,
		rapid.Map(rapid.SliceOfN(jsonValue(depth-1), 0, 4), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.String(), jsonValue(depth-1), 0, 4), func(m map[string]any) any { return m }),
	)
}

// shuffled writes v with keys in a drawn order and white space between tokens.
func shuffled(t *rapid.T, v any) string {
	space := func() string { return rapid.SampledFrom([]string{"", " ", "\n\t"}).Draw(t, "space") }
	switch v := v.(type) {
	case map[string]any:
		var keys []string
		for k := range v {
			keys = append(keys, k)
		}
		var parts []string
		for _, k := range rapid.Permutation(keys).Draw(t, "order") {
			name, _ := json.Marshal(k)
			parts = append(parts, space()+string(name)+space()+":"+space()+shuffled(t, v[k])+space())
		}
		return "{" + space() + strings.Join(parts, ",") + "}"
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, space()+shuffled(t, e)+space())
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func TestFormDoesNotMatter(t *testing.T) {
	x := New(Rules{})
	rapid.Check(t, func(t *rapid.T) {
		v := jsonValue(3).Draw(t, "value")
		plain, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		other := shuffled(t, v)
		if x.HashJSON(plain) != x.HashJSON([]byte(other)) {
			t.Fatalf("%s and %s differ", plain, other)
		}
	})
}

func FuzzCanon(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.50,{"b":null}],"a":"\ud800"}`, `[1e400,-0,"\u0000"]`, `{"":{"":[]}}`, "nul", `"\`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var c canon
		before := bytes.Clone(raw)
		got := c.appendTo(nil, raw, nil, false, false)
		c.appendTo(nil, raw, &Fold{LowerStrings: true, UpperFields: []string{"a"}, FloatDecimals: 2}, true, true)
		if !bytes.Equal(raw, before) {
			t.Fatal("the source was changed")
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var v any
		valid := json.Valid(raw) && d.Decode(&v) == nil
		if ok := got[0] != tagInvalid; ok != valid && !bytes.Contains(got, []byte{tagRaw}) {
			t.Fatalf("well-formed = %v, encoding/json says %v", ok, valid)
		}
		if !valid || !utf8.Valid(raw) || bytes.Contains(bytes.ToLower(raw), []byte(`\ud`)) || bytes.Contains(got, []byte{tagRaw}) {
			return
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if other := c.appendTo(nil, again, nil, false, false); !bytes.Equal(got, other) {
			t.Fatalf("%q and %q differ", raw, again)
		}
	})
}
