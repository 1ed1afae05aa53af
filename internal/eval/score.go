package eval

import (
	"slices"

	"github.com/loopwatch/loopwatch/pkg/actions"
)

// Act is one acted decision on a run.
type Act struct {
	Seq      uint64 // of the run's event that caused it
	Kind     actions.Kind
	Detector string
}

// Observed is what a replay did to one labelled run.
type Observed struct {
	Calls []uint64 // seqs of its tool calls, ascending
	Acts  []Act
	File  string // that holds it
}

// Verdict is how the policy did on one run.
type Verdict struct {
	Run      string `json:"run"`
	Source   string `json:"source"`
	Label    string `json:"label"`
	Hinted   bool   `json:"hinted"` // an action that counts
	Halted   bool   `json:"halted"`
	Detector string `json:"detector,omitempty"` // of the first action that counts
	Seq      uint64 `json:"seq,omitempty"`
	Delay    int    `json:"delay,omitempty"`   // calls after the reader's hint_seq, negative before; of loops
	Outside  int    `json:"outside,omitempty"` // actions too early or too late to count, of loops
	Deserves bool   `json:"deserves_halt,omitempty"`
	Random   bool   `json:"random,omitempty"`
	Why      string `json:"why,omitempty"` // the reader's, where the policy disagrees
	File     string `json:"file,omitempty"`
}

// Bounds within which an action counts for a loop, in calls.
const (
	earliest = 2  // at most so many before first_seq
	latest   = 10 // at most so many after hint_seq, or as many as were wasted
)

// Judge holds what was done to a run against its label.
func Judge(l Label, o Observed) Verdict {
	v := Verdict{
		Run: l.Run, Source: l.Source, Label: l.Label, Random: l.Sample == "random", File: o.File,
		Deserves: l.Label == Loop && l.HaltSeq > 0 && !l.Recovered,
	}
	hint := l.HintSeq
	if hint == 0 {
		hint = l.FirstSeq
	}
	for _, a := range o.Acts {
		if l.Label == Loop && l.FirstSeq > 0 {
			early := between(o.Calls, a.Seq, l.FirstSeq) > earliest
			late := !v.Hinted && between(o.Calls, hint+1, a.Seq+1) > max(latest, l.Wasted)
			if early || late {
				v.Outside++
				continue
			}
		}
		if !v.Hinted {
			v.Hinted, v.Detector, v.Seq = true, a.Detector, a.Seq
			v.Delay = delay(o.Calls, hint, a.Seq)
		}
		v.Halted = v.Halted || a.Kind == actions.HaltRun
	}
	if v.Hinted != (l.Label == Loop) && l.Label != Borderline {
		v.Why = l.Why
	}
	return v
}

// between counts the calls with a seq in [from, to).
func between(calls []uint64, from, to uint64) int {
	n := 0
	for _, c := range calls {
		if c >= from && c < to {
			n++
		}
	}
	return n
}

func delay(calls []uint64, hint, at uint64) int {
	if at > hint {
		return between(calls, hint+1, at+1)
	}
	return -between(calls, at, hint)
}

// Group sums up verdicts.
type Group struct {
	Loops, LoopsHinted             int
	Productive, ProductiveHinted   int
	ProductiveHalted               int
	Borderline, BorderlineHinted   int
	Deserving, Stopped             int
	Random, RandomHinted, RandomTP int
	DelayMedian, DelayP90          int
	Outside                        int
}

// Sum adds verdicts up.
func Sum(all []Verdict) Group {
	var g Group
	var delays []int
	for _, v := range all {
		g.Outside += v.Outside
		add(&g.Random, v.Random)
		add(&g.RandomHinted, v.Random && v.Hinted)
		add(&g.RandomTP, v.Random && v.Hinted && v.Label == Loop)
		switch v.Label {
		case Loop:
			g.Loops++
			add(&g.LoopsHinted, v.Hinted)
			add(&g.Deserving, v.Deserves)
			add(&g.Stopped, v.Deserves && v.Halted)
			if v.Hinted {
				delays = append(delays, v.Delay)
			}
		case Productive:
			g.Productive++
			add(&g.ProductiveHinted, v.Hinted)
			add(&g.ProductiveHalted, v.Halted)
		default:
			g.Borderline++
			add(&g.BorderlineHinted, v.Hinted)
		}
	}
	slices.Sort(delays)
	if n := len(delays); n > 0 {
		g.DelayMedian, g.DelayP90 = delays[n/2], delays[n*9/10]
	}
	return g
}

func add(n *int, yes bool) {
	if yes {
		*n++
	}
}
