package state

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestStage(t *testing.T) {
	halt := Halt{Control: "ctl_1", Detector: "repeat"}
	waiting := []Control{{ID: "ctl_1", Kind: "halt"}}
	tests := []struct {
		name      string
		change    func(*Run)
		want      Stage
		escalated bool
	}{
		{"a new run", func(*Run) {}, Working, false},
		{"ended", func(r *Run) { r.Phase = Ended }, Over, false},
		{"lost", func(r *Run) { r.Phase = Lost }, Gone, false},
		{"told, not halted", func(r *Run) { r.Ledger.Unacked = []Control{{ID: "ctl_0"}} }, Working, false},
		{"halted, not acknowledged", func(r *Run) { r.Ledger.Halt, r.Ledger.Unacked = halt, waiting }, Halting, true},
		{"halted, acknowledged", func(r *Run) { r.Ledger.Halt = halt }, Awaiting, true},
		{"halted, another control not acknowledged", func(r *Run) { r.Ledger.Halt, r.Ledger.Unacked = halt, []Control{{ID: "ctl_0"}} }, Awaiting, true},
		{"halted and ended", func(r *Run) { r.Ledger.Halt, r.Phase = halt, Ended }, Awaiting, true},
		{"halted and ended without acknowledging", func(r *Run) { r.Ledger.Halt, r.Ledger.Unacked, r.Phase = halt, waiting, Ended }, Awaiting, true},
		{"halted and ended as that demands", func(r *Run) { r.Ledger.Halt, r.Phase, r.EndedAs = halt, Ended, events.Stuck }, Awaiting, true},
		{"halted, and done all the same", func(r *Run) { r.Ledger.Halt, r.Phase, r.EndedAs = halt, Ended, events.Done }, Over, false},
		{"halted, and its worker failed", func(r *Run) { r.Ledger.Halt, r.Phase, r.EndedAs = halt, Ended, events.Failed }, Awaiting, true},
		{"halted, and a person said it stays", func(r *Run) { r.Ledger.Halt = Halt{Control: "ctl_1", Detector: "repeat", By: "ops"} }, Halted, false},
		{"halted by a person", func(r *Run) { r.Ledger.Halt = Halt{Control: "c", Detector: "operator"} }, Halted, false},
		{"halted by a person and ended", func(r *Run) { r.Ledger.Halt, r.Phase = Halt{Control: "c", Detector: "operator"}, Ended }, Over, false},
		{"halted with its parent", func(r *Run) { r.Ledger.Halt = Halt{Control: "c", Detector: "repeat", FromRun: "p"} }, Halted, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := NewRun(runID("a"), "agent", 8)
			test.change(r)
			if got := r.Stage(); got != test.want || r.Escalated() != test.escalated {
				t.Errorf("stage %s, escalated %v; want %s, %v", got, r.Escalated(), test.want, test.escalated)
			}
		})
	}
}

// counted is the census by brute force.
func counted(t *testing.T, p *Partition) Census {
	t.Helper()
	want := Census{Counted: true}
	err := p.EachRun(func(r *Run) bool {
		want.Runs[r.Stage()]++
		if r.Escalated() {
			want.Escalated++
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return want
}

func TestCensusIsTheFoldOfTheRuns(t *testing.T) {
	store := NewMemory()
	p := openPartition(t, store, 3)
	rnd := rand.New(rand.NewPCG(1, 2))
	change := func() {
		id := runID(fmt.Sprint("r", rnd.IntN(12)))
		r := p.Run(id)
		switch {
		case r == nil:
			r = p.Create(id, "agent")
			p.Task(id.TaskID()).Join(id.Run, "", "agent")
		case rnd.IntN(5) == 0:
			p.Forget(r)
			return
		}
		r.Phase = []Phase{Live, Ended, Lost}[rnd.IntN(3)]
		r.Ledger.Halt, r.Ledger.Unacked = Halt{}, nil
		if rnd.IntN(2) == 0 {
			r.Ledger.Halt = Halt{Control: "c", Detector: []string{"repeat", "operator"}[rnd.IntN(2)]}
		}
		if rnd.IntN(2) == 0 {
			r.Ledger.Unacked = []Control{{ID: "c"}}
		}
		p.Touch(r)
	}
	for range 400 {
		for range rnd.IntN(6) {
			change()
		}
		commit(t, store, p)
		if got, want := p.Meta.Census, counted(t, p); got != want {
			t.Fatalf("the census is %+v, the runs say %+v", got, want)
		}
		switch rnd.IntN(4) {
		case 0:
			p.Evict()
		case 1:
			p = openPartition(t, store, 3)
		}
	}
}

// What was stored before runs were counted is counted when it is opened.
func TestCensusOfAnOlderStore(t *testing.T) {
	store := NewMemory()
	p := openPartition(t, store, 3)
	for i := range 5 {
		id := runID(fmt.Sprint("r", i))
		r := p.Create(id, "agent")
		p.Task(id.TaskID()).Join(id.Run, "", "agent")
		r.Phase = []Phase{Live, Ended, Lost}[i%3]
	}
	commit(t, store, p)
	want := p.Meta.Census
	p.Meta.Census = Census{}
	var b Batch
	b.Set(p.key('M', ""), AppendMeta(nil, &p.Meta))
	if err := store.Commit(&b); err != nil {
		t.Fatal(err)
	}
	if got := openPartition(t, store, 3).Meta.Census; got != want || want.Runs[Working] != 2 || want.Runs[Over] != 2 || want.Runs[Gone] != 1 {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

func TestStagesHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Stages() {
		if seen[s.String()] || s == Unknown {
			t.Errorf("stage %d is %q, as another one", s, s)
		}
		seen[s.String()] = true
	}
	if len(seen) != int(stages)-1 {
		t.Errorf("%d stages are listed of %d", len(seen), stages-1)
	}
}
