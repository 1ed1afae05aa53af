package detectors_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/trace"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// TestTraces runs testdata/NAME.trace, one for each detector: every line with
// a want must be acted on, every other must stay silent. A section is told
// under the default policy with that detector alone, or whole under the preset
// that it sets; `set repeat.occurrence 2` sets one parameter.
func TestTraces(t *testing.T) {
	for _, spec := range detectors.Registry() {
		t.Run(spec.Name, func(t *testing.T) {
			file := filepath.Join("testdata", spec.Name+".trace")
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sections, err := trace.Parse(file, src)
			if err != nil {
				t.Fatal(err)
			}
			fired, silent := 0, 0
			for _, s := range sections {
				t.Run(s.Title, func(t *testing.T) { fired += tell(t, file, spec.Name, &s) })
				if s.Silent() {
					silent++
				}
			}
			if fired == 0 {
				t.Errorf("%s: %s never fires", file, spec.Name)
			}
			if silent == 0 {
				t.Errorf("%s: no section says when %s stays silent", file, spec.Name)
			}
		})
	}
}

// TestEveryTraceHasADetector finds traces that nobody runs.
func TestEveryTraceHasADetector(t *testing.T) {
	files, err := filepath.Glob("testdata/*.trace")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".trace")
		if _, ok := detectors.Lookup(name); !ok {
			t.Errorf("%s: there is no detector %s", f, name)
		}
	}
}

// tell runs one section and returns how often the named detector acted.
func tell(t *testing.T, file, detector string, s *trace.Section) (fired int) {
	t.Helper()
	yaml := policyFor(t, detector, s)
	p, err := actions.Parse([]byte(yaml))
	if err != nil {
		t.Fatalf("%s:%d: %v in\n%s", file, s.Line, err, yaml)
	}
	part, err := state.OpenPartition(state.NewMemory(), 0)
	if err != nil {
		t.Fatal(err)
	}
	g, err := engine.New(part, p, true, features.Key{1})
	if err != nil {
		t.Fatal(err)
	}
	newest := "none"
	for i := range s.Events {
		e := s.Events[i]
		if e.Ack != nil && e.Ack.Control == trace.Newest {
			e.Ack = &events.Ack{Control: newest, Outcome: e.Ack.Outcome}
		}
		res, err := g.Step(&e)
		if err != nil || res.Reject != nil {
			t.Fatalf("%s:%d: %v %v", file, s.Lines[i], err, res.Reject)
		}
		var acted []actions.Decision
		for _, d := range res.Decisions {
			if d.Reason != actions.Acted {
				continue
			}
			acted, newest = append(acted, d), d.ID
			if d.Detector == detector {
				fired++
			}
		}
		compare(t, fmt.Sprintf("%s:%d", file, s.Lines[i]), s.Wanted(i), acted)
	}
	return fired
}

// compare holds what was done on an event against what its line wants.
func compare(t *testing.T, at string, want *trace.Want, acted []actions.Decision) {
	t.Helper()
	said := map[string]bool{}
	var lines []string
	for _, d := range acted {
		said[string(d.Kind)], said[d.Detector] = true, true
		lines = append(lines, fmt.Sprintf("%s %s: %s %s", d.Detector, d.Kind, d.Evidence.Tool, d.Evidence.What))
	}
	switch {
	case want == nil && len(acted) > 0:
		t.Errorf("%s must stay silent, and got %s", at, strings.Join(lines, "; "))
	case want != nil && len(acted) == 0:
		t.Errorf("%s must fire", at)
	case want != nil:
		for _, w := range want.Words {
			if !said[w] {
				t.Errorf("%s wants %s, and got %s", at, w, strings.Join(lines, "; "))
			}
		}
	}
}

// policyFor writes the policy a section asks for.
func policyFor(t *testing.T, detector string, s *trace.Section) string {
	t.Helper()
	base, top := "default", map[string][]string{}
	alone := true
	for _, set := range s.Settings {
		section, key, dotted := strings.Cut(set.Key, ".")
		switch {
		case set.Key == "policy":
			base, alone = set.Value, false
		case dotted:
			top[section] = append(top[section], key+": "+set.Value)
		default:
			top[""] = append(top[""], set.Key+": "+set.Value)
		}
	}
	if alone {
		for _, spec := range detectors.Registry() {
			mode := "off"
			if spec.Name == detector {
				mode = "enforce"
			}
			top[spec.Name] = append(top[spec.Name], "mode: "+mode)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "name: trace\nextends: %s\n", base)
	for _, l := range top[""] {
		b.WriteString(l + "\n")
	}
	var set []string
	for _, name := range slices.Sorted(maps.Keys(top)) {
		if _, ok := detectors.Lookup(name); ok {
			set = append(set, fmt.Sprintf("%s: {%s}", name, strings.Join(top[name], ", ")))
			delete(top, name)
		}
	}
	if len(set) > 0 {
		fmt.Fprintf(&b, "detectors:\n  %s\n", strings.Join(set, "\n  "))
	}
	delete(top, "")
	for _, name := range slices.Sorted(maps.Keys(top)) {
		fmt.Fprintf(&b, "%s: {%s}\n", name, strings.Join(top[name], ", "))
	}
	return b.String()
}
