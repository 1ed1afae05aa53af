package detectors_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/trace"
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// lines are what random runs are made of: few enough that everything repeats.
var lines = []string{
	`start {"tools":[{"name":"w","effect":"write"},{"name":"p","effect":"read","polls":true}],"limits":{"max_turns":30,"max_cost_usd":2}}`,
	`turn hm {"cost_usd":0.1,"usage":{"input_tokens":100}}`, `turn {"state_hash":"x"}`,
	`turn {"asks":["a"],"known":["a","b"]}`, `turn`,
	`call a {}`, `call a {}`, `call b {"x":1}`, `call b {"x":2}`, `call w {"x":1}`, `call p {}`, `call sleep {}`,
	`call c raw {"x`, `| call a {}`, `| call b {"x":1}`,
	`result ok`, `result ok`, `result nothing found`, `result {"x":1}`, `result x [changed]`, `result x [replayed]`,
	`error no such thing as 7`, `error no such thing as 8`, `error 503 Service Unavailable`,
	`again`, `user go on`, `wait 30s`, "origin loopwatch", `round 9`, `end done`,
}

// randomStory draws lines that make a readable story.
func randomStory(t *rapid.T) trace.Section {
	src := "-- random --\nuser hello\n"
	open, called := 0, false
	for range rapid.IntRange(1, 50).Draw(t, "lines") {
		l := rapid.SampledFrom(lines).Draw(t, "line")
		switch answers := strings.HasPrefix(l, "result") || strings.HasPrefix(l, "error"); {
		case answers && open == 0, strings.HasPrefix(l, "|") && !called:
			continue
		case answers:
			open--
		case strings.Contains(l, "call "):
			open++
		}
		called = strings.Contains(l, "call ")
		src += l + "\n"
	}
	s, err := trace.Parse("random", []byte(src))
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	return s[0]
}

// variants are parameter sets that take every path.
func variants() map[string]detectors.Detector {
	out := map[string]detectors.Detector{
		"repeat on calls":        detectors.Repeat{Occurrence: 2, Count: detectors.CountCalls, On: detectors.OnCall},
		"repeat in a window":     detectors.Repeat{Occurrence: 3, Window: 6, Count: detectors.CountRounds, On: detectors.OnCall},
		"repeat anywhere":        detectors.Repeat{Occurrence: 2, Count: detectors.CountCalls, On: detectors.OnResult},
		"cycle on calls":         detectors.Cycle{Shortest: 2, Longest: 8, Laps: 2, On: detectors.OnCall},
		"stagnation, impatient":  detectors.Stagnation{Turns: 2},
		"budget with worst case": detectors.Budget{MaxTurns: 9, MaxCostUSD: 1, MaxTokens: 500, MaxWallClockMS: 60_000, WarnAt: 0.5, UnknownCostUSD: 0.1, ProjectTurns: 3},
	}
	for _, s := range detectors.Registry() {
		out[s.Name] = s.New()
	}
	return out
}

// TestDetectorsArePure: whatever happens to a run, a detector changes nothing
// of it, says the same when asked again, and what it says is complete.
func TestDetectorsArePure(t *testing.T) {
	all := variants()
	rapid.Check(t, func(rt *rapid.T) {
		story := randomStory(rt)
		a := state.Applier{Features: features.New(features.Rules{})}
		run := state.NewRun(state.RunID{Tenant: "default", Task: "t1", Run: "r1"}, "agent", rapid.IntRange(2, 64).Draw(rt, "memory"))
		for i := range story.Events {
			e := &story.Events[i]
			if a.Apply(run, e) == state.Duplicate || !run.Cur.Counts {
				continue
			}
			before, cur := state.AppendRun(nil, run), fmt.Sprintf("%+v", run.Cur)
			for name, d := range all {
				f, ok := d.Detect(state.View{Run: run}, e)
				g, again := d.Detect(state.View{Run: run}, e)
				if ok != again || ok && !reflect.DeepEqual(f, g) {
					rt.Fatalf("%s at line %d, asked twice: %v %+v and %v %+v", name, story.Lines[i], ok, f, again, g)
				}
				if ok {
					checkFinding(t, &f, run, e)
				}
			}
			if !bytes.Equal(before, state.AppendRun(nil, run)) || cur != fmt.Sprintf("%+v", run.Cur) {
				rt.Fatalf("line %d: a detector changed the run", story.Lines[i])
			}
		}
	})
}

// TestInjectionsChangeNothing: what we put into a run ourselves is never
// counted, so that findings are those of the run without it.
func TestInjectionsChangeNothing(t *testing.T) {
	all := variants()
	rapid.Check(t, func(rt *rapid.T) {
		story := randomStory(rt)
		plain := findings(all, story.Events, func(int) bool { return false })
		mixed := findings(all, story.Events, func(i int) bool { return i%3 == 0 })
		if d := cmp.Diff(plain, mixed); d != "" {
			rt.Fatalf("with injections (-without +with):\n%s", d)
		}
	})
}

// findings lists what all detectors say of a run, by event id, with our own
// messages put in behind the events that inject names.
func findings(all map[string]detectors.Detector, story []events.Event, inject func(int) bool) map[string]string {
	out := map[string]string{}
	a := state.Applier{Features: features.New(features.Rules{})}
	run := state.NewRun(state.RunID{Tenant: "default", Task: "t1", Run: "r1"}, "agent", 0)
	seq := uint64(0)
	for i := range story {
		e := story[i]
		seq++
		e.StreamSeq, e.Seq = seq, 0
		if a.Apply(run, &e) != state.Duplicate && run.Cur.Counts {
			for name, d := range all {
				if f, ok := d.Detect(state.View{Run: run}, &e); ok {
					out[fmt.Sprint(i, " ", name)] = fmt.Sprint(f.Cause, f.Weight, f.Need, f.Act, f.Evidence.Count, f.Evidence.Since, f.Evidence.What)
				}
			}
		}
		if inject(i) {
			seq++
			a.Apply(run, &events.Event{
				V: 1, ID: fmt.Sprint("ours-", i), Kind: events.Said, Run: "r1", Origin: events.FromLoopwatch, StreamSeq: seq,
				Time: e.Time, Stored: e.Stored, Message: &events.Message{Role: "user", Text: "try another way"},
			})
		}
	}
	return out
}
