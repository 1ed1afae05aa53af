package events_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// The contract's own words for what a name is.
var contractName = regexp.MustCompile(`^[A-Za-z0-9=-][A-Za-z0-9_=-]{0,127}$`)

func TestValidNameIsTheContracts(t *testing.T) {
	for c := range 256 {
		for _, s := range []string{string([]byte{byte(c)}), "a" + string([]byte{byte(c)}), string([]byte{byte(c)}) + "a"} {
			if got, want := events.ValidName(s), contractName.MatchString(s) && !strings.Contains(s, "\n"); got != want {
				t.Errorf("ValidName(%q) = %v", s, got)
			}
		}
	}
	for _, n := range []int{0, 1, 127, 128, 129} {
		if s := strings.Repeat("x", n); events.ValidName(s) != contractName.MatchString(s) {
			t.Errorf("%d bytes: ValidName = %v", n, events.ValidName(s))
		}
	}
}

func TestEscapeName(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "fix-1733_a", "fix-1733_a"},
		{"empty", "", ""},
		{"leading underscore", "_lw", "=5Flw"},
		{"only an underscore", "_", "=5F"},
		{"dots and slashes", "a/b.c", "a=2Fb=2Ec"},
		{"the escape itself", "a=2F", "a=3D2F"},
		{"other letters", "ż", "=C5=BC"},
		{"any bytes", "\x00\xff*> ", "=00=FF=2A=3E=20"},
		{"128 bytes", strings.Repeat("a", 128), strings.Repeat("a", 128)},
		{"129 bytes", strings.Repeat("a", 129), strings.Repeat("a", 110) + "-c12cb024a2e5551c"},
		{"cut before an escape", strings.Repeat("a", 109) + "/" + strings.Repeat("b", 20), strings.Repeat("a", 109) + "-4f0fdb3be5addf4a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := events.EscapeName(tt.in); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestUnescapeNameRefuses(t *testing.T) {
	for _, s := range []string{"=", "a=", "a=2", "=G0", "a=-1", "=  "} {
		if got, ok := events.UnescapeName(s); ok {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestEscapedNamesAreValidAndReversible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(t, "name"))
		name := events.EscapeName(in)
		if !events.ValidName(name) {
			t.Fatalf("%q became %q, no name", in, name)
		}
		back, ok := events.UnescapeName(name)
		if !ok {
			t.Fatalf("%q does not unescape", name)
		}
		if escapedLen(in) <= events.MaxName && back != in {
			t.Fatalf("%q came back as %q", in, back)
		}
	})
}

// escapedLen counts by the contract's rule alone.
func escapedLen(s string) int {
	n := 0
	for i := range len(s) {
		if regexp.MustCompile(`^[A-Za-z0-9-]$`).MatchString(s[i:i+1]) || s[i] == '_' && i > 0 {
			n++
		} else {
			n += 3
		}
	}
	return n
}

func TestRecordedNamesAreEscapedAlike(t *testing.T) {
	for n, line := range lines(t, filepath.Join(shared(t), "data", "runs", "index.jsonl")) {
		var rec struct{ Run, Original string }
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatal(err)
		}
		if got := events.EscapeName(rec.Original); got != rec.Run {
			t.Errorf("line %d: %q became %s, want %s", n, rec.Original, got, rec.Run)
		}
	}
}
