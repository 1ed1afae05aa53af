package propgen_test

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/propgen"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// TestSequencesAreEvents: what is drawn is what a worker may send.
func TestSequencesAreEvents(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) []events.Event{
		"hostile":    propgen.Hostile,
		"stories":    propgen.Stories,
		"declared":   propgen.DeclaredStories,
		"sprinkled":  func(t *rapid.T) []events.Event { return propgen.Sprinkle(t, propgen.Stories(t)) },
		"shuffled":   func(t *rapid.T) []events.Event { return propgen.Shuffle(t, propgen.Stories(t)) },
		"productive": func(t *rapid.T) []events.Event { return propgen.Productive(t, true) },
	} {
		t.Run(name, rapid.MakeCheck(func(rt *rapid.T) {
			last := uint64(0)
			for i, e := range draw(rt) {
				if err := e.Validate(); err != nil {
					rt.Fatalf("event %d: %v in %+v", i, err, e)
				}
				line, err := events.Encode(e)
				if err != nil {
					rt.Fatalf("event %d: %v", i, err)
				}
				if _, err := events.Decode(line, 1<<20); err != nil {
					rt.Fatalf("event %d: %v in %s", i, err, line)
				}
				if e.StreamSeq <= last {
					rt.Fatalf("event %d is at %d, behind %d", i, e.StreamSeq, last)
				}
				last = e.StreamSeq
			}
		}))
	}
}

// TestShuffleKeepsTasks: every task keeps its events in their order.
func TestShuffleKeepsTasks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		byTask := func(seq []events.Event) map[string][]string {
			out := map[string][]string{}
			for _, e := range seq {
				out[e.Task] = append(out[e.Task], e.ID)
			}
			return out
		}
		seq := propgen.Stories(rt)
		if a, b := byTask(seq), byTask(propgen.Shuffle(rt, seq)); !maps.EqualFunc(a, b, func(x, y []string) bool { return cmp.Equal(x, y) }) {
			rt.Fatalf("before %v, after %v", a, b)
		}
	})
}

// TestRenameIsOneForOne: renaming there and back gives the sequence again, and
// leaves the one it was given alone.
func TestRenameIsOneForOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seq := propgen.Stories(rt)
		there := propgen.Rename(seq, func(s string) string { return "x" + s }, func(s string) string { return "t" + s })
		for i := range there {
			if there[i].ID == seq[i].ID || there[i].Call != nil && there[i].Call.Tool == seq[i].Call.Tool {
				rt.Fatalf("event %d keeps a name: %+v", i, there[i])
			}
		}
		cut := func(s string) string { return s[1:] }
		if d := cmp.Diff(seq, propgen.Rename(there, cut, cut)); d != "" {
			rt.Fatalf("there and back (-before +after):\n%s", d)
		}
	})
}
