package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/trace"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

var tenantKey = []byte("0123456789abcdef")

// Under ContentHash nothing of a text is left, and what has no text to hide
// still passes for an event.
func TestNoTextIsLeft(t *testing.T) {
	const secret = "Quetzalcoatl is the name of the parcel"
	for name, e := range textEvents(secret) {
		Hide(&e, tenantKey)
		body, err := fit(&e, 64<<10)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if strings.Contains(string(body), "Quetzalcoatl") || strings.Contains(string(body), "parcel") {
			t.Errorf("%s is sent as %s", name, body)
		}
	}
}

func TestWhatIsEqualStaysEqual(t *testing.T) {
	args := func(raw string, key []byte) string {
		e := events.Event{Call: &events.Call{Args: events.RawJSON(raw)}}
		Hide(&e, key)
		return string(e.Call.Args)
	}
	one := args(`{"q":"a","page":{"n":1,"of":2}}`, tenantKey)
	if !strings.HasPrefix(one, `{"page":{"$h":"`) || strings.Count(one, `"$h"`) != 2 {
		t.Fatalf("arguments are sent as %s", one)
	}
	if got := args(` {"page": {"of":2, "n":1}, "q":"\u0061"}`, tenantKey); got != one {
		t.Errorf("the same arguments in another spelling: %s and %s", one, got)
	}
	for what, other := range map[string]string{
		"another value": args(`{"q":"b","page":{"n":1,"of":2}}`, tenantKey), "another name": args(`{"p":"a","page":{"n":1,"of":2}}`, tenantKey),
		"another key":         args(`{"q":"a","page":{"n":1,"of":2}}`, []byte("fedcba9876543210")),
		"large whole numbers": args(`{"q":"a","page":{"n":9007199254740993,"of":2}}`, tenantKey),
	} {
		if other == one {
			t.Errorf("%s: the same hash", what)
		}
	}
	if args(`{"n":9007199254740993}`, tenantKey) == args(`{"n":9007199254740992}`, tenantKey) {
		t.Error("two numbers are rounded into one")
	}
	if got := args(`["a"]`, tenantKey); !strings.HasPrefix(got, `{"$h":"`) {
		t.Errorf("arguments that are no object are sent as %s", got)
	}
}

// What a tool gave is cut after it is hashed, not before.
func TestAnAlreadyCutResultIsTheHashOfItsWhole(t *testing.T) {
	result := func(sha string) string {
		e := events.Event{Result: &events.Result{Content: events.RawJSON(`"the beginning"`), Truncated: true, ContentSHA: sha}}
		Hide(&e, tenantKey)
		return string(e.Result.Content)
	}
	if one, again := result("aa"), result("aa"); one == result("bb") || one != again {
		t.Error("wholes that differ behind the cut are not told apart")
	}
}

// found tells a section to an engine and returns what the detectors acted on,
// by the place in the story.
func found(t *testing.T, s *trace.Section, hidden bool, detectors ...string) (out []string) {
	t.Helper()
	part, err := state.OpenPartition(state.NewMemory(), 0)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := actions.Preset(actions.DefaultPreset)
	if err != nil {
		t.Fatal(err)
	}
	eng, err := engine.New(part, policy, true, features.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Events {
		e := s.Events[i]
		if hidden {
			Hide(&e, tenantKey)
		}
		res, err := eng.Step(&e)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range res.Decisions {
			if slices.Contains(detectors, d.Detector) && d.Reason == actions.Acted {
				out = append(out, fmt.Sprint(i, " ", d.Detector, " ", d.Kind))
			}
		}
	}
	return out
}

// inWords are the sections whose point is what is written: noise that is folded,
// waiting, failures of the infrastructure. Under a hash nobody can read it.
var inWords = []string{
	"only times, durations and request ids differ", "order of keys, white space in a line and number form", "a narrated reason",
	"a command that sleeps by itself", "weather does not reset the count", "after the observation, failures of other kinds",
	"three calls and one that stands before them", "weather in between does not break the cycle", "only the infrastructure spoke",
}

// The detectors that need equality only act on the same events of a hashed
// story as of a told one.
func TestEqualityIsEnoughForRepeatAndCycle(t *testing.T) {
	for _, name := range []string{"repeat", "cycle"} {
		file := filepath.Join("..", "detectors", "testdata", name+".trace")
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sections, err := trace.Parse(file, src)
		if err != nil {
			t.Fatal(err)
		}
		fired := 0
		for i := range sections {
			s := &sections[i]
			if slices.ContainsFunc(inWords, func(w string) bool { return strings.Contains(s.Title, w) }) {
				continue
			}
			t.Run(name+"/"+s.Title, func(t *testing.T) {
				told, hashed := found(t, s, false, name), found(t, s, true, name)
				if !slices.Equal(told, hashed) {
					t.Errorf("told %v, hashed %v", told, hashed)
				}
				if len(hashed) > 0 {
					fired++
				}
			})
		}
		if fired < 3 {
			t.Errorf("%s fires in %d hashed stories", name, fired)
		}
	}
}
