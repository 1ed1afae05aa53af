package oracle_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/internal/oracle"
	"github.com/loopwatch/loopwatch/internal/propgen"
	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

var presets = []string{"sundry", "forty-times"}

// TestStories: what the oracle says of drawn stories is what a replay decides.
func TestStories(t *testing.T) {
	for _, preset := range presets {
		for name, draw := range map[string]func(*rapid.T) []events.Event{
			"told":      stories,
			"sprinkled": func(t *rapid.T) []events.Event { return propgen.Sprinkle(t, stories(t)) },
			"shuffled":  func(t *rapid.T) []events.Event { return propgen.Shuffle(t, stories(t)) },
			"operated":  func(t *rapid.T) []events.Event { return operated(t, stories(t)) },
			"disturbed": func(t *rapid.T) []events.Event { return disturbed(t, stories(t), preset == "sundry") }, // which knows no turns
		} {
			t.Run(preset+"/"+name, rapid.MakeCheck(func(rt *rapid.T) {
				seq := draw(rt)
				if d := cmp.Diff(lines(own(judged(rt, preset, seq))), lines(own(replayed(rt, preset, seq)))); d != "" {
					rt.Fatalf("oracle and replay differ (-oracle +replay):\n%s\n%s", d, told(seq))
				}
			}))
		}
	}
}

// fatal is what a test and a drawn one have in common.
type fatal interface{ Fatal(args ...any) }

// messages are the events as a stream of one partition holds them.
func messages(t fatal, seq []events.Event) (out []oracle.Message) {
	for _, e := range seq {
		line, err := events.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, oracle.Message{Seq: e.StreamSeq, Data: line})
	}
	return out
}

func judged(t fatal, preset string, seq []events.Event) []oracle.Decision {
	return oracle.Judge(preset, 1, messages(t, seq)).Decisions
}

// replayed are the acted decisions of a replay in the oracle's words.
func replayed(t fatal, preset string, seq []events.Event) []oracle.Decision {
	policy, err := actions.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	acted := map[string][]oracle.Acted{}
	r, err := replay.New(replay.Options{Policy: policy, Partitions: 1, Message: func(m *actions.Message) error {
		if c := m.Control; c.Reason == actions.Acted {
			acted[c.Task] = append(acted[c.Task], oracle.Acted{Cause: c.Incident, Decision: oracle.Decision{
				Tenant: c.Tenant, Task: c.Task, Run: c.Run, Event: c.Event, Detector: c.Detector, Kind: string(c.Kind), Rung: c.Rung,
			}})
		}
		return nil
	}}, func(replay.Line) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for _, e := range seq {
		e.Partition = new(int)
		line, err := events.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Feed(e, line); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	var out []oracle.Decision
	for _, task := range slices.Sorted(maps.Keys(acted)) {
		out = append(out, oracle.Ordered(acted[task])...)
	}
	return out
}

// lines are decisions one a line, for messages that can be read.
func lines(in []oracle.Decision) (out []string) {
	for _, d := range in {
		out = append(out, fmt.Sprint(d))
	}
	return out
}

func told(seq []events.Event) string {
	var b strings.Builder
	for _, e := range seq {
		line, err := events.Encode(e)
		if err != nil {
			line = []byte(err.Error())
		}
		fmt.Fprintf(&b, "%s\n", line)
	}
	return b.String()
}

// own leaves out who acts past a halt that came from another run or from an
// operator, and which of several such halts a run met: the contract does not
// say. Nor does it say whether a parent is told of its child by the act that
// halts both.
func own(in []oracle.Decision) (out []oracle.Decision) {
	type place struct{ task, run, event string }
	told, halted, stopped := map[place]bool{}, map[place]bool{}, map[place]bool{}
	for _, d := range in {
		if d.Kind == "escalate" && d.Detector != "halt_ignored" {
			told[place{d.Task, d.Run, d.Event}] = true
		}
	}
	for _, d := range in {
		run := place{d.Task, d.Run, ""}
		if d.Kind == "halt" {
			halted[run] = told[place{d.Task, d.Run, d.Event}]
			stopped[place{d.Task, d.Run, d.Event}] = true
		}
		if d.Kind == "halt" && !halted[run] {
			d.Detector, d.Incident, d.Rung = "inherited", 0, 0
		}
		if d.Detector != "halt_ignored" || halted[run] {
			out = append(out, d)
		}
	}
	return slices.DeleteFunc(out, func(d oracle.Decision) bool {
		return d.Detector == "operator" && d.Kind == "inject_observation" && stopped[place{d.Task, d.Run, d.Event}]
	})
}
