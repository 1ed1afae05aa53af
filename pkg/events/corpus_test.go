package events_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// shared returns the folder of recorded runs and cases. It is not part of the
// repository: without it a test is skipped, except where CI promises it.
func shared(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("LOOPWATCH_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "data", "runs")); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("recorded runs are missing: %v", err)
		}
		t.Skipf("recorded runs are missing, set LOOPWATCH_SHARED: %v", err)
	}
	return dir
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no file matches %s (%v)", pattern, err)
	}
	return files
}

// lines yields the lines of a file, unpacked where it is packed.
func lines(t testing.TB, file string) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r := io.Reader(f)
		if filepath.Ext(file) == ".gz" {
			if r, err = gzip.NewReader(f); err != nil {
				t.Fatal(err)
			}
		}
		s := bufio.NewScanner(r)
		s.Buffer(nil, 16<<20)
		for n := 1; s.Scan(); n++ {
			if !yield(n, s.Bytes()) {
				return
			}
		}
		if err := s.Err(); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
}

func TestRecordedRunsDecode(t *testing.T) {
	dir := shared(t)
	read := 0
	for _, file := range glob(t, filepath.Join(dir, "data", "runs", "*.jsonl.gz")) {
		for n, line := range lines(t, file) {
			if _, err := events.Decode(line, 0); err != nil {
				t.Errorf("%s:%d: %v", file, n, err)
			}
			if n%8 == 0 { // a fair part is enough for what costs more
				roundTrip(t, file, n, line)
			}
			read++
		}
	}
	if read < 10_000 {
		t.Errorf("read %d recorded events, want many more", read)
	}
}

func TestCasesDecode(t *testing.T) {
	dir := shared(t)
	for _, file := range glob(t, filepath.Join(dir, "cases", "*.jsonl")) {
		for n, line := range lines(t, file) {
			var c struct{ Events []json.RawMessage }
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatalf("%s:%d: %v", file, n, err)
			}
			if len(c.Events) == 0 {
				t.Errorf("%s:%d: a case without events", file, n)
			}
			for _, e := range c.Events {
				roundTrip(t, file, n, e)
			}
		}
	}
}

// roundTrip checks that a line is accepted, keeps its identity, and comes back
// the same from its own encoding.
func roundTrip(t *testing.T, file string, n int, line []byte) {
	t.Helper()
	e, err := events.Decode(line, 0)
	if err != nil {
		t.Fatalf("%s:%d: %v", file, n, err)
	}
	var plain struct{ ID, Run, Task string }
	if err := json.Unmarshal(line, &plain); err != nil || plain.ID != e.ID || plain.Run != e.Run || plain.Task != e.Task {
		t.Fatalf("%s:%d: identity %q %q %q, want %+v (%v)", file, n, e.ID, e.Run, e.Task, plain, err)
	}
	data, err := events.Encode(e)
	if err != nil {
		t.Fatalf("%s:%d: %v", file, n, err)
	}
	if bytes.ContainsRune(data, '\n') {
		t.Fatalf("%s:%d: encoding has a line break", file, n)
	}
	again, err := events.Decode(data, 1<<20)
	if err != nil {
		t.Fatalf("%s:%d: decode what Encode wrote: %v", file, n, err)
	}
	if !reflect.DeepEqual(e, again) {
		t.Fatalf("%s:%d: round trip (-before +after):\n%s", file, n, cmp.Diff(e, again))
	}
}
