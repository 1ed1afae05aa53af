package detectors_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/trace"
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// said is one finding in words that a test can write down: refs as stream
// positions, which in a story are line numbers that count events only.
type said struct {
	At           uint64
	Weight, Need int
	Slow         bool
	Ground       detectors.Ground
	Act          detectors.Act
	Replay, Of   uint64
	Tool         string
	Count, Since int
	Events       []uint64
	Calls        []uint64
	Answer       uint64
	What         string
}

// watch folds a story into a run of its own and returns what the detector
// found, event by event.
func watch(t *testing.T, d detectors.Detector, memory int, story string) (out []said, causes []features.Hash) {
	t.Helper()
	sections, err := trace.Parse("story", []byte("-- story --\n"+story))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	a := state.Applier{Features: features.New(features.Rules{})}
	run := state.NewRun(state.RunID{Tenant: "default", Task: "t1", Run: "r1"}, "agent", memory)
	for i := range sections[0].Events {
		e := &sections[0].Events[i]
		if a.Apply(run, e) == state.Duplicate || !run.Cur.Counts {
			continue
		}
		f, ok := d.Detect(state.View{Run: run}, e)
		if !ok {
			continue
		}
		checkFinding(t, &f, run, e)
		x := f.Evidence
		causes = append(causes, f.Cause)
		out = append(out, said{
			At: e.StreamSeq, Weight: f.Weight, Need: f.Need, Slow: f.Slow, Ground: f.Ground, Act: f.Act, Replay: f.Replay.Seq, Of: f.ReplayOf.Seq,
			Tool: x.Tool, Count: x.Count, Since: x.Since, Events: seqs(x.Events), Calls: seqs(x.Calls),
			Answer: x.Answer.Seq, What: x.What,
		})
	}
	return out, causes
}

func seqs(refs []state.Ref) []uint64 {
	var out []uint64
	for _, r := range refs {
		out = append(out, r.Seq)
	}
	return out
}

// checkFinding holds every finding against what each must keep.
func checkFinding(t *testing.T, f *detectors.Finding, run *state.Run, e *events.Event) {
	t.Helper()
	x := &f.Evidence
	n := len(x.Events)
	switch {
	case f.Cause == 0 || f.Weight <= 0 || x.What == "" || x.Count < 1 && f.Act == detectors.ByLadder || x.Since < 1 || x.Since > run.Window.Round.Number && f.Act == detectors.ByLadder:
		t.Errorf("at %d: incomplete: %+v", e.StreamSeq, f)
	case n == 0 || n > detectors.MaxEvents || x.Events[n-1] != run.Cur.Ref:
		t.Errorf("at %d: its events are %v, and must end with the event itself", e.StreamSeq, seqs(x.Events))
	case len(x.Calls) > state.MaxPeriod:
		t.Errorf("at %d: %d calls to quote", e.StreamSeq, len(x.Calls))
	case f.Detector != "":
		t.Errorf("at %d: whoever runs a detector names it, not the detector", e.StreamSeq)
	}
	for i := 1; i < n; i++ {
		if x.Events[i].Seq <= x.Events[i-1].Seq {
			t.Errorf("at %d: its events %v are not in order", e.StreamSeq, seqs(x.Events))
		}
	}
}

const long = "an answer of more than sixty characters, which nobody takes for an acknowledgement"

const eight = `call a {"n":1}
call a {"n":2}
call a {"n":3}
call a {"n":4}
call a {"n":5}
call a {"n":6}
call a {"n":7}
call a {"n":8}
`

const thrice = `call grep {"q":"foo"}
result no matches in the whole of the tree, not one
call grep {"q":"foo"}
result no matches in the whole of the tree, not one
call grep {"q":"foo"}
result no matches in the whole of the tree, not one
`

func TestFindings(t *testing.T) {
	onCall := detectors.Repeat{Occurrence: 2, Count: detectors.CountCalls, On: detectors.OnCall}
	lastSix := detectors.Repeat{Occurrence: 3, Window: 6, Count: detectors.CountCalls, On: detectors.OnCall}
	rounds := detectors.Repeat{Occurrence: 2, Count: detectors.CountRounds, On: detectors.OnCall}
	anywhere := detectors.NewRepeat()
	anywhere.Unchanged = false
	tests := []struct {
		name, story string
		d           detectors.Detector
		want        []said
	}{
		{"repeat on results gathers evidence", thrice, detectors.NewRepeat(), []said{
			{At: 4, Weight: 6, Need: 12, Tool: "grep", Count: 2, Since: 1, Events: []uint64{1, 2, 3, 4}, Calls: []uint64{3}, Answer: 4,
				What: "has been called twice with the same arguments and brought the same answer each time; nothing took effect in between"},
			{At: 6, Weight: 6, Need: 12, Tool: "grep", Count: 3, Since: 1, Events: []uint64{1, 4, 5, 6}, Calls: []uint64{5}, Answer: 6,
				What: "has been called 3 times with the same arguments and brought the same answer each time; nothing took effect in between"},
		}},
		{"repeat on calls speaks at the occurrence and offers the first result", thrice, onCall, []said{
			{At: 3, Weight: 6, Replay: 2, Of: 1, Tool: "grep", Count: 2, Since: 1, Events: []uint64{1, 3}, Calls: []uint64{3}, Answer: 2,
				What: "has been called twice with the same arguments"},
			{At: 5, Weight: 6, Replay: 2, Of: 1, Tool: "grep", Count: 3, Since: 1, Events: []uint64{1, 3, 5}, Calls: []uint64{5}, Answer: 4,
				What: "has been called 3 times with the same arguments"},
		}},
		{"the first result may belong to the second call", "call a {}\ncall a {}\nresult x [call=c2]\ncall a {}\n", onCall, []said{
			{At: 2, Weight: 6, Tool: "a", Count: 2, Since: 1, Events: []uint64{1, 2}, Calls: []uint64{2}, What: "has been called twice with the same arguments"},
			{At: 4, Weight: 6, Replay: 3, Of: 2, Tool: "a", Count: 3, Since: 1, Events: []uint64{1, 2, 4}, Calls: []uint64{4}, Answer: 3,
				What: "has been called 3 times with the same arguments"},
		}},
		{"within the last calls", "call a {}\ncall b {}\ncall a {}\ncall c {}\ncall a {}\n", lastSix, []said{
			{At: 5, Weight: 6, Tool: "a", Count: 3, Since: 1, Events: []uint64{1, 3, 5}, Calls: []uint64{5},
				What: "has been called 3 times with the same arguments within the last 6 calls"},
		}},
		{"calls of one round count once where rounds are counted", "call a {}\n| call a {}\n| call a {}\ncall a {}\n| call a {}\n", rounds, []said{
			{At: 4, Weight: 6, Tool: "a", Count: 2, Since: 1, Events: []uint64{1, 3, 4}, Calls: []uint64{4}, What: "has been called twice with the same arguments"},
		}},
		{"rounds within the last calls", "call a {}\n| call a {}\n| call a {}\ncall a {}\n| call a {}\ncall a {}\n",
			detectors.Repeat{Occurrence: 3, Window: 6, Count: detectors.CountRounds, On: detectors.OnCall}, []said{
				{At: 6, Weight: 6, Tool: "a", Count: 3, Since: 1, Events: []uint64{1, 4, 6}, Calls: []uint64{6},
					What: "has been called 3 times with the same arguments within the last 6 calls"},
			}},
		{"a user in between halves the weight", "call a {}\nresult not found\nuser and?\ncall a {}\nresult not found\n", detectors.NewRepeat(), []said{
			{At: 5, Weight: 3, Need: 12, Tool: "a", Count: 2, Since: 1, Events: []uint64{1, 2, 4, 5}, Calls: []uint64{4}, Answer: 5,
				What: "has been called twice with the same arguments and brought the same answer each time; nothing took effect in between"},
		}},
		{"a short acknowledgement of something unknown is half", "call frob {\"x\":1}\nresult ok\ncall frob {\"x\":1}\nresult ok\n", detectors.NewRepeat(), []said{
			{At: 4, Weight: 3, Need: 12, Tool: "frob", Count: 2, Since: 1, Events: []uint64{1, 2, 3, 4}, Calls: []uint64{3}, Answer: 4,
				What: "has been called twice with the same arguments and brought the same answer each time; nothing took effect in between"},
		}},
		{"a long answer of something unknown is whole", "call frob {\"x\":1}\nresult " + long + "\ncall frob {\"x\":1}\nresult " + long + "\n", detectors.NewRepeat(), []said{
			{At: 4, Weight: 6, Need: 12, Tool: "frob", Count: 2, Since: 1, Events: []uint64{1, 2, 3, 4}, Calls: []uint64{3}, Answer: 4,
				What: "has been called twice with the same arguments and brought the same answer each time; nothing took effect in between"},
		}},
		{"only the first result of a round is evidence", "call a {}\n| call b {}\nresult " + long + "\nresult not found\ncall a {}\n| call b {}\nresult " + long + "\nresult not found\n", detectors.NewRepeat(), []said{
			{At: 7, Weight: 6, Need: 12, Tool: "a", Count: 2, Since: 1, Events: []uint64{1, 3, 5, 7}, Calls: []uint64{5}, Answer: 7,
				What: "has been called twice with the same arguments and brought the same answer each time; nothing took effect in between"},
		}},
		{"equal calls of one round, one answered late", "call a {}\n| call a {}\ncall b {}\nresult not found [call=c1]\nresult " + long + " [call=c3]\nresult not found [call=c2]\n", detectors.NewRepeat(), nil},
		{"the call before has its answer, an older one has none", "call a {}\ncall b {}\ncall a {}\nresult not found [call=c3]\ncall a {}\n", detectors.NewRepeat(), nil},
		{"whatever changed in between", "start {\"tools\":[{\"name\":\"w\",\"effect\":\"write\"}]}\ncall a {}\nresult not found\ncall w {}\nresult done\ncall a {}\nresult not found\n", anywhere, []said{
			{At: 7, Weight: 6, Need: 12, Tool: "a", Count: 2, Since: 1, Events: []uint64{2, 3, 6, 7}, Calls: []uint64{6}, Answer: 7,
				What: "has been called twice with the same arguments and brought the answer that it had brought before"},
		}},
		{"failing in other words", "call a {}\nerror the field x is missing here\ncall a {}\nerror not accepted\n", detectors.NewRepeat(), []said{
			{At: 4, Weight: 6, Need: 12, Tool: "a", Count: 2, Since: 1, Events: []uint64{1, 2, 3, 4}, Calls: []uint64{3}, Answer: 4,
				What: "has been called twice with the same arguments and failed each time; nothing took effect in between"},
		}},
		{"calls without an answer", "call a {}\ncall a {}\ncall a {}\n", detectors.NewRepeat(), []said{
			{At: 2, Weight: 6, Need: 12, Tool: "a", Count: 2, Since: 1, Events: []uint64{1, 2}, Calls: []uint64{2},
				What: "has been called twice with the same arguments while no call of them has an answer"},
			{At: 3, Weight: 6, Need: 12, Tool: "a", Count: 3, Since: 1, Events: []uint64{1, 2, 3}, Calls: []uint64{3},
				What: "has been called 3 times with the same arguments while no call of them has an answer"},
		}},
		{"a cycle names each of its calls", "turn hm\ncall a {}\nresult 1\ncall b {}\nresult 2\ncall a {}\nresult 1\ncall b {}\nresult 2\n", detectors.NewCycle(), []said{
			{At: 9, Weight: 6, Tool: "b", Count: 2, Since: 1, Events: []uint64{1, 6, 8, 9}, Calls: []uint64{6, 8}, Answer: 9,
				What: "is part of a cycle of 2 rounds that has gone round twice with the same answers"},
		}},
		{"a cycle of calls is told before it is executed", "call a {}\ncall b {}\ncall a {}\ncall b {}\ncall a {}\n", detectors.Cycle{Shortest: 2, Longest: 2, Laps: 2, On: detectors.OnCall}, []said{
			{At: 4, Weight: 6, Tool: "b", Count: 2, Since: 1, Events: []uint64{1, 3, 4}, Calls: []uint64{3, 4}, What: "is part of a cycle of 2 calls that has gone round twice"},
			{At: 5, Weight: 6, Tool: "a", Count: 2, Since: 2, Events: []uint64{2, 4, 5}, Calls: []uint64{4, 5}, What: "is part of a cycle of 2 calls that has gone round twice"},
		}},
		{"of many events the first and the last are named", eight + eight, detectors.Cycle{Shortest: 2, Longest: 8, Laps: 2, On: detectors.OnCall}, []said{
			{At: 16, Weight: 6, Tool: "a", Count: 2, Since: 1, Events: []uint64{1, 10, 11, 12, 13, 14, 15, 16}, Calls: []uint64{9, 10, 11, 12, 13, 14, 15, 16},
				What: "is part of a cycle of 8 calls that has gone round twice"},
		}},
		{"an error class from its second time on", "call a {\"x\":1}\nerror no such order 1\ncall a {\"x\":2}\nerror no such order 2\ncall a {\"x\":3}\nerror no such order 3\n", detectors.NewSameError(), []said{
			{At: 4, Weight: 6, Need: 12, Tool: "a", Count: 2, Since: 1, Events: []uint64{2, 3, 4}, Calls: []uint64{3}, Answer: 4,
				What: "has failed twice with the same kind of error, whatever the arguments"},
			{At: 6, Weight: 6, Need: 12, Tool: "a", Count: 3, Since: 1, Events: []uint64{2, 5, 6}, Calls: []uint64{5}, Answer: 6,
				What: "has failed 3 times with the same kind of error, whatever the arguments"},
		}},
		{"an error class over tools", "call a {\"x\":1}\nerror not allowed\ncall b {\"x\":2}\nerror not allowed\ncall c {\"x\":3}\nerror not allowed\n", detectors.SameError{SameTool: 3, Siblings: 3}, []said{
			{At: 6, Weight: 6, Tool: "c", Count: 3, Since: 1, Events: []uint64{2, 5, 6}, Calls: []uint64{5}, Answer: 6,
				What: "is one of 3 tools that have failed 3 times in a row with the same kind of error"},
		}},
		{"turns without effect", "call a {}\nresult x\ncall a {}\nresult x\ncall a {}\nresult x\n", detectors.Stagnation{Turns: 2}, []said{
			{At: 6, Weight: 6, Slow: true, Count: 2, Since: 2, Events: []uint64{3, 6}, Calls: []uint64{3, 5}, Answer: 6,
				What: "has taken 2 turns in a row without any effect and without learning anything new"},
		}},
		{"a turn of weather says nothing again", "turn\nturn\nturn\ncall a {}\nerror 503 Service Unavailable\nturn\n", detectors.Stagnation{Turns: 2}, []said{
			{At: 3, Weight: 6, Slow: true, Count: 2, Since: 1, Events: []uint64{1, 3},
				What: "has taken 2 turns in a row without any effect and without learning anything new"},
		}},
		{"turns with the same record", "turn {\"state_hash\":\"x\"}\nturn {\"state_hash\":\"x\"}\n", detectors.NoProgress{Turns: 2}, []said{
			{At: 2, Weight: 6, Slow: true, Count: 2, Since: 1, Events: []uint64{1, 2}, What: "has kept the same state for 2 turns in a row"},
		}},
		{"a turn without a record", "turn {\"state_hash\":\"x\"}\nturn {\"state_hash\":\"x\"}\nturn hm\n", detectors.NoProgress{Turns: 2}, []said{
			{At: 2, Weight: 6, Slow: true, Count: 2, Since: 1, Events: []uint64{1, 2}, What: "has kept the same state for 2 turns in a row"},
		}},
		{"fields asked for", "turn {\"known\":[\"a\",\"b\",\"c\"],\"asks\":[\"b\",\"a\",\"b\",\"d\"]}\n", detectors.NewReask(), []said{
			{At: 1, Weight: 6, Count: 2, Since: 1, Events: []uint64{1}, What: "asks for 2 fields that the run already holds"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := watch(t, tt.d, 0, tt.story)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error("findings (-want +got):\n", d)
			}
		})
	}
}
