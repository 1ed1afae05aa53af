package pebblestore

import (
	"bytes"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"
)

// ownProcess names the test that runs in a process of its own: its stores die
// of what the disk does, and what Pebble leaves running then has no end.
const ownProcess = "LOOPWATCH_TEST_PROCESS"

func TestMain(m *testing.M) {
	if os.Getenv(ownProcess) != "" {
		os.Exit(m.Run())
	}
	goleak.VerifyTestMain(m)
}

// inOwnProcess runs the calling test again in a process of its own, and says
// whether the caller is that process.
func inOwnProcess(t *testing.T) bool {
	t.Helper()
	if os.Getenv(ownProcess) == t.Name() {
		return true
	}
	out, err := testProcess(t).CombinedOutput()
	if err != nil {
		t.Errorf("in its own process: %v\n%s", err, out)
	} else if !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("in its own process the test did not run:\n%s", out)
	} else {
		t.Logf("in its own process:\n%s", out)
	}
	return false
}

// testProcess is a process that runs the calling test with ownProcess set,
// and env.
func testProcess(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), ownProcess+"="+t.Name())
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// seeds yields the seeds 1 to n, then, while the time that LOOPWATCH_SOAK
// gives as a duration is not over, random ones. LOOPWATCH_SEED is the only one
// where it is set.
func seeds(t *testing.T, n int) iter.Seq[uint64] {
	t.Helper()
	if only := os.Getenv("LOOPWATCH_SEED"); only != "" {
		seed, err := strconv.ParseUint(only, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return func(yield func(uint64) bool) { yield(seed) }
	}
	var soak time.Duration
	if s := os.Getenv("LOOPWATCH_SOAK"); s != "" {
		var err error
		if soak, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	end := time.Now().Add(soak)
	return func(yield func(uint64) bool) {
		for i := uint64(1); i <= uint64(n) || time.Now().Before(end); i++ {
			seed := i
			if i > uint64(n) {
				seed = rand.Uint64()
			}
			if !yield(seed) || t.Failed() {
				t.Logf("repeat with LOOPWATCH_SEED=%d", seed)
				return
			}
		}
	}
}

// small are options under which a few batches fill tables on disk.
func small(fs vfs.FS) Options {
	return Options{FS: fs, SyncInterval: -1, memTable: 64 << 10, CacheBytes: 1 << 20}
}

// mustOpen opens a store that the test closes, or its end does.
func mustOpen(t *testing.T, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// mustCommit commits the batches from to to of the workload.
func mustCommit(t *testing.T, s *Store, from, to int) {
	t.Helper()
	for k := from; k <= to; k++ {
		if err := s.Commit(batch(k)); err != nil {
			t.Fatal(err)
		}
	}
}

// mustHold demands that s holds exactly n batches.
func mustHold(t *testing.T, s *Store, n int) {
	t.Helper()
	if got := read(s); got != (reading{batches: n}) {
		t.Fatalf("the store holds %+v, want %d batches", got, n)
	}
}

func mustClose(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
