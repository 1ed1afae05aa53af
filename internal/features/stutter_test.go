package features

import (
	"strings"
	"testing"
)

func TestStutter(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"nothing", "", 0},
		{"a sentence", "the file is there and can be read", 0},
		{"one word", "I will wait wait wait wait wait", 5},
		{"a phrase at the end", "well, let me see. " + strings.Repeat("try again now ", 4), 12},
		{"a phrase with a remainder", "now try again " + strings.Repeat("now try again ", 3) + "now", 13},
		{"three times only", strings.Repeat("let me see ", 3), 0},
		{"in the middle", strings.Repeat("let me see ", 6) + "and then the file", 0},
		{"no further than the last words", strings.Repeat("so ", 500), maxStutterWords},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := New(Rules{}).Text(c.text).Stutter; got != c.want {
				t.Errorf("%d words, want %d", got, c.want)
			}
		})
	}
}
