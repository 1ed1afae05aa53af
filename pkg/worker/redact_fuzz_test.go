package worker

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/pkg/events"
)

var baseTime = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

// Redaction of any text ends, keeps equal what was equal, does nothing the
// second time, and leaves no secret of a known shape.
func FuzzRedact(f *testing.F) {
	for _, c := range secretTexts {
		f.Add(strings.NewReplacer("‹", "", "›", "").Replace(c))
	}
	f.Add("password=password=password=")
	f.Add(`token: "`)
	f.Add("://://:://@@")
	f.Add("eyJ.eyJ.eyJ-----BEGIN -----BEGIN PRIVATE KEY")
	x := testRedactor()
	f.Fuzz(func(t *testing.T, s string) {
		got := x.text(s)
		if x.text(strings.Clone(s)) != got {
			t.Fatal("the same text is redacted in two ways")
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("%q became %q, which is no text", s, got)
		}
		const planted = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
		if strings.Contains(x.text(s+" "+planted+" "+s), planted) {
			t.Fatalf("a token after %q is left", s)
		}
		in := quote(s)
		out := x.json(in)
		if !jsontext.Value(out).IsValid() {
			t.Fatalf("%s became %s, which is no JSON", in, out)
		}
		if under := x.json(events.RawJSON(`{"password":` + string(in) + `,"n":1}`)); s != "" && len(s) > 40 && strings.Contains(string(under), string(in)) {
			t.Fatalf("a password is left: %s", under)
		}
	})
}
