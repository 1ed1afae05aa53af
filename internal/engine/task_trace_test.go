package engine_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/trace"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

var update = flag.Bool("update", false, "write golden files anew")

// TestTaskTraces tells what a halt stops. A line with a want must lead to
// exactly those kinds of controls, every other to none; task.golden says to
// whom each goes, and what a worker that asks on a line is answered where it is
// not allow.
func TestTaskTraces(t *testing.T) {
	const file, golden = "testdata/task.trace", "testdata/task.golden"
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sections, err := trace.Parse(file, src)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, s := range sections {
		fmt.Fprintf(&got, "-- %s --\n", s.Title)
		t.Run(s.Title, func(t *testing.T) {
			story := taskStory{t: t, section: &s, newest: map[string]string{}, out: &got}
			story.tell()
		})
		got.WriteByte('\n')
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); d != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", golden, d)
	}
}

// taskStory is one section under way.
type taskStory struct {
	t       *testing.T
	section *trace.Section
	newest  map[string]string // control by run, for its ack
	out     *strings.Builder
}

// tell runs the section and writes down what came of it.
func (s *taskStory) tell() {
	s.t.Helper()
	part, err := state.OpenPartition(state.NewMemory(), 0)
	if err != nil {
		s.t.Fatal(err)
	}
	g, err := engine.New(part, s.policy(), true, features.Key{1})
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range s.section.Events {
		e := s.section.Events[i]
		if e.Ack != nil && e.Ack.Control == trace.Newest {
			e.Ack = &events.Ack{Control: s.newest[e.Run], Outcome: e.Ack.Outcome}
		}
		res, err := g.Step(&e)
		if err != nil || res.Reject != nil {
			s.t.Fatalf("line %d: %v %v", s.section.Lines[i], err, res.Reject)
		}
		s.compare(i, s.write(&e, s.section.Lines[i], res))
	}
}

// write notes what a line led to and returns the kinds of controls.
func (s *taskStory) write(e *events.Event, line int, res engine.Result) []string {
	kinds := map[string]bool{}
	for _, d := range res.Decisions {
		if d.Reason != actions.Acted {
			continue
		}
		kinds[string(d.Kind)], s.newest[d.Target.Run] = true, d.ID
		fmt.Fprintln(s.out, strings.TrimSpace(fmt.Sprintf("%d %s: %s %s %s", line, d.Target.Run, d.Kind, d.Detector, d.Status)))
	}
	if v := res.Answer.Decision; v != actions.Allow && (e.Kind == events.RunStart || e.Kind == events.ToolCall) {
		fmt.Fprintf(s.out, "%d %s is answered %s\n", line, e.Run, v)
	}
	return slices.Sorted(maps.Keys(kinds))
}

// compare holds what a line led to against its want.
func (s *taskStory) compare(at int, got []string) {
	s.t.Helper()
	var want []string
	if w := s.section.Wanted(at); w != nil {
		want = slices.Sorted(slices.Values(w.Words))
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("line %d: got %v, want %v", s.section.Lines[at], got, want)
	}
}

// policy is the preset that the section sets, or default with its settings.
func (s *taskStory) policy() *actions.Policy {
	s.t.Helper()
	yaml := "name: trace\nextends: default\n"
	for _, set := range s.section.Settings {
		if set.Key == "policy" {
			yaml = "name: trace\nextends: " + set.Value + "\n"
			continue
		}
		detector, key, _ := strings.Cut(set.Key, ".")
		yaml += fmt.Sprintf("detectors: {%s: {%s: %s}}\n", detector, key, set.Value)
	}
	p, err := actions.Parse([]byte(yaml))
	if err != nil {
		s.t.Fatalf("%v in\n%s", err, yaml)
	}
	return p
}
