package actions

import (
	"slices"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// climber is a run with a policy, told event by event what was found.
type climber struct {
	t   *testing.T
	p   *Policy
	run *state.Run
	n   uint64
}

func newClimber(t *testing.T, ladder string) *climber {
	t.Helper()
	p, err := Parse([]byte("name: mine\nextends: default\nladder: {spread: 0, density: {steps: 8, need: 0}, " + ladder + "}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return &climber{t: t, p: p, run: state.NewRun(state.RunID{Tenant: "default", Task: "t1", Run: "r1"}, "agent", 0)}
}

// tell takes one step in a word and returns what was decided: acts, words and
// talk are findings on that ground, slow acts that show over many turns; fail
// and known are results that no detector accuses, clean is one that is fine,
// turn a turn.
func (c *climber) tell(step string) (said []string) {
	c.t.Helper()
	c.n++
	c.run.Window.CallNo++
	ref := state.Ref{Seq: c.n, ID: state.DigestOf(step)}
	c.run.Cur = state.Current{Ref: ref, Kind: events.ToolResult, Round: int(c.n), Counts: true}
	c.run.Cur.Step = state.Step{Call: ref, Answer: ref}
	f := detectors.Finding{Cause: 7, Weight: detectors.Whole, Need: detectors.Whole, Detector: "repeat"}
	f.Evidence.Since, f.Evidence.Events = int(c.n), []state.Ref{ref}
	found := true
	switch step {
	case "acts":
	case "slow":
		f.Slow = true
	case "words":
		f.Cause, f.Ground, f.Detector = 8, detectors.Words, "plan"
	case "talk":
		f.Cause, f.Ground, f.Detector = 9, detectors.Talk, "monologue"
	default:
		found = false
		c.run.Cur.Step.Error, c.run.Cur.Familiar = step == "fail", step == "known"
	}
	if step == "words" || step == "talk" || step == "turn" {
		c.run.Cur.Kind, c.run.Cur.Step = events.TurnKind, state.Step{}
	}
	var list []Found
	if found {
		i := slices.IndexFunc(c.p.Rules, func(r Rule) bool { return r.Spec.Name == f.Detector })
		list = append(list, Found{Finding: f, Rule: &c.p.Rules[i]})
	}
	for _, d := range c.p.Decide(state.View{Run: c.run}, list) {
		if d.Reason == Acted {
			said = append(said, map[Kind]string{Inject: "hint", HaltRun: "halt", Escalate: "person"}[d.Kind])
		}
	}
	return said
}

// times writes a step n times.
func times(n int, step string) string { return strings.Repeat(step+" ", n) }

// TestRungs: at which step of a story a rung is taken, and at no other.
func TestRungs(t *testing.T) {
	const base = "next_after: 3, weak: 0.5, hard: 2, talk: 10, calm: 4, slow_factor: 2, slow_calm: 18"
	with := func(key, value string) string {
		keys := strings.Split(base, ", ")
		for i, k := range keys {
			if strings.HasPrefix(k, key+":") {
				keys[i] = key + ": " + value
			}
		}
		return strings.Join(keys, ", ")
	}
	tests := []struct {
		name, ladder, story string
		hints, halts        []int // numbers of the steps, from 1
	}{
		{"acts halt three steps after the hint", base, times(4, "acts"), []int{1}, []int{4}},
		{"a slow kind takes twice as many", base, times(7, "slow"), []int{1}, []int{7}},
		{"and a slow finding in an incident that was not", base, "acts " + times(6, "slow"), []int{1}, []int{7}},

		{"hard: words alone end no run", base, times(40, "words"), []int{1}, nil},
		{"hard: two acts beside them are enough", base, "words acts acts words", []int{1}, []int{4}},
		{"hard: one act is not", base, "words acts " + times(9, "words"), []int{1}, nil},
		{"hard: of three, two acts are not enough", with("hard", "3"), "words acts acts words words", []int{1}, nil},
		{"hard: the act that halts need not wait for it", base, "words words words acts", []int{1}, []int{4}},
		{"hard: without it words end a run as acts do", with("hard", "0"), times(4, "words"), []int{1}, []int{4}},
		{"hard: failures are acts", with("weak", "1"), "words fail fail words", []int{1}, []int{4}},

		{"talk: nothing but talk ends a run after ten turns", base, times(11, "talk"), []int{1}, []int{11}},
		{"talk: a turn that says something else begins the count anew", base, times(10, "talk") + "turn " + times(10, "talk"), []int{1}, []int{21}},
		{"talk: words beside acts are no talk", base, "words " + times(20, "words"), []int{1}, nil},
		{"talk: seven turns", with("talk", "7"), times(8, "talk"), []int{1}, []int{8}},
		{"talk: with acts enough it is judged as they are", base, "acts acts acts talk", []int{1}, []int{4}},

		{"weak: six failures in an incident are three steps", base, "acts " + times(6, "fail"), []int{1}, []int{7}},
		{"weak: known lines count as failures do", base, "acts " + times(6, "known"), []int{1}, []int{7}},
		{"weak: they count a whole step", with("weak", "1"), "acts " + times(3, "fail"), []int{1}, []int{4}},
		{"weak: twice as many where the kind is slow", base, "slow " + times(12, "fail"), []int{1}, []int{13}},
		{"weak: without an incident they are nothing", base, times(20, "fail"), nil, nil},
		{"weak: they are no recovery", base, "acts clean clean clean fail clean clean clean acts acts acts", []int{1}, []int{11}},
		{"weak: without it failures are a recovery", with("weak", "0"), "acts " + times(4, "fail") + times(4, "acts"), []int{1, 6}, []int{9}},
		{"weak: nothing after the halt", base, times(4, "acts") + times(8, "fail"), []int{1}, []int{4}},

		{"calm: four clean steps and it begins anew", base, "acts clean clean clean clean acts", []int{1, 6}, nil},
		{"calm: a finding begins the calm anew", base, "acts clean clean clean acts clean clean clean acts acts", []int{1}, []int{10}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClimber(t, tt.ladder)
			var hints, halts []int
			for i, step := range strings.Fields(tt.story) {
				said := c.tell(step)
				if slices.Contains(said, "hint") {
					hints = append(hints, i+1)
				}
				if slices.Contains(said, "halt") {
					halts = append(halts, i+1)
				}
				if slices.Contains(said, "halt") != slices.Contains(said, "person") {
					t.Errorf("at %d: %v: a halt brings a person, nothing else does", i+1, said)
				}
			}
			if !slices.Equal(hints, tt.hints) || !slices.Equal(halts, tt.halts) {
				t.Errorf("hints at %v, halts at %v, want %v and %v", hints, halts, tt.hints, tt.halts)
			}
		})
	}
}
