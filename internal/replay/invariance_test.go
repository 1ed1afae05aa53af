package replay_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/propgen"
	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// told replays events and returns what was decided, by task, without the
// places in the stream.
func told(t *rapid.T, dir string, p *actions.Policy, partitions int, seq []events.Event) map[string][]replay.Line {
	out := map[string][]replay.Line{}
	taskOf := map[string]string{}
	r, err := replay.New(replay.Options{Policy: p, Partitions: partitions, Spool: dir}, func(l replay.Line) error {
		l.Evidence.StreamSeqs = nil
		out[taskOf[l.Event]] = append(out[taskOf[l.Event]], l)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range seq {
		e.StreamSeq = 0
		taskOf[e.ID] = e.Task
		raw, err := events.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Feed(e, raw); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestWhereTasksAreDoesNotMatter: neither the number of partitions nor the
// order in which tasks are told between each other changes what is decided and
// said about one of them, be the trace recorded or made by hand.
func TestWhereTasksAreDoesNotMatter(t *testing.T) {
	dir := t.TempDir()
	acted := 0
	rapid.Check(t, func(rt *rapid.T) {
		p, err := actions.Preset(rapid.SampledFrom([]string{"default", "sundry", "forty-times"}).Draw(rt, "preset"))
		if err != nil {
			rt.Fatal(err)
		}
		seq := propgen.Stories(rt)
		if rapid.Bool().Draw(rt, "by hand") {
			for i := range seq {
				seq[i].Stored = time.Time{}
			}
		}
		want := told(rt, dir, p, 1, seq)
		partitions := rapid.SampledFrom([]int{1, 2, 7, 16}).Draw(rt, "partitions")
		if d := cmp.Diff(want, told(rt, dir, p, partitions, propgen.Shuffle(rt, seq))); d != "" {
			rt.Fatalf("with %d partitions and other tasks in between (-before +after):\n%s", partitions, d)
		}
		for _, lines := range want {
			acted += len(lines)
		}
	})
	if acted == 0 {
		t.Error("nothing was decided: the runs are too tame")
	}
}
