package oracle_test

import (
	"bufio"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// TestRecorded: the oracle and a replay agree on every recorded run.
func TestRecorded(t *testing.T) {
	dir := os.Getenv("LOOPWATCH_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	files, err := filepath.Glob(filepath.Join(dir, "data", "runs", "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("recorded runs are not there")
		}
		t.Skip("recorded runs are not there (set LOOPWATCH_SHARED)")
	}
	nth := 16 // a fair part; LOOPWATCH_NTH=1 takes all recorded runs
	if n, err := strconv.Atoi(os.Getenv("LOOPWATCH_NTH")); err == nil && n > 0 {
		nth = n
	}
	for _, preset := range presets {
		runs, decided, bad := 0, 0, 0
		for _, f := range files {
			all := tasksOf(t, f)
			for i, task := range slices.Sorted(maps.Keys(all)) {
				if i%nth != 0 {
					continue
				}
				seq := all[task]
				runs++
				want := lines(judged(t, preset, seq))
				decided += len(want)
				if d := cmp.Diff(want, lines(replayed(t, preset, seq))); d != "" {
					if bad++; bad < 6 {
						t.Errorf("%s, %s, task %s: oracle and replay differ (-oracle +replay):\n%s", preset, filepath.Base(f), task, d)
					}
				}
			}
		}
		if decided == 0 {
			t.Errorf("%s: nothing was decided: the test proves nothing", preset)
		}
		t.Logf("%s: %d tasks, %d acted decisions, %d tasks differ", preset, runs, decided, bad)
	}
}

// tasksOf returns the events of a trace file task by task, numbered as a stream
// of that task alone.
func tasksOf(t *testing.T, file string) map[string][]events.Event {
	t.Helper()
	in, closer, err := replay.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closer()
	out := map[string][]events.Event{}
	err = replay.Read(file, bufio.NewReader(in), func(e events.Event, _ []byte) error {
		key := e.Tenant + "/" + e.Task
		e.StreamSeq = uint64(len(out[key]) + 1)
		if e.Stored.IsZero() {
			e.Stored = e.Time
		}
		out[key] = append(out[key], e)
		return nil
	}, func(f replay.Fault) { t.Errorf("%v", f) })
	if err != nil {
		t.Fatal(err)
	}
	return out
}
