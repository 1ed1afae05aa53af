package e2e

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// shared returns the directory of recorded runs. A clone without it skips the
// test; continuous integration must have it.
func shared(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("LOOPWATCH_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "data", "runs")); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("recorded runs are not there: %v", err)
		}
		t.Skipf("recorded runs are not there (set LOOPWATCH_SHARED): %v", err)
	}
	return dir
}

// recorded returns the lines of every n-th recorded run of every source,
// interleaved run by run as they stand in the files.
func recorded(t *testing.T, nth int) [][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(shared(t), "data", "runs", "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded runs: %v", err)
	}
	var out [][]byte
	for _, f := range files {
		out = append(out, linesOf(t, f, nth)...)
	}
	return out
}

func linesOf(t *testing.T, file string, nth int) [][]byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(z)
	in.Buffer(make([]byte, 1<<20), 1<<24)
	runs := map[string]int{}
	var out [][]byte
	for in.Scan() {
		run := placeOf(t, in.Bytes()).Run
		if _, ok := runs[run]; !ok {
			runs[run] = len(runs)
		}
		if runs[run]%nth == 0 {
			out = append(out, bytes.Clone(in.Bytes()))
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// place is what a feeder that knows nothing of our code needs of a line.
type place struct {
	ID, Tenant, Agent, Task, Run string
}

func placeOf(t *testing.T, line []byte) place {
	t.Helper()
	p := place{}
	if err := json.Unmarshal(line, &p, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	return p
}

// feed publishes lines in order, as they are.
func (s *stage) feed(lines [][]byte) {
	s.t.Helper()
	var acks []interface{ Err() <-chan error }
	for _, l := range lines {
		p := placeOf(s.t, l)
		m := nats.NewMsg(events.EventSubject(p.Tenant, p.Agent, p.Task, p.Run))
		m.Data = l
		m.Header.Set("Nats-Msg-Id", p.ID)
		a, err := s.js.PublishMsgAsync(m)
		if err != nil {
			s.t.Fatal(err)
		}
		acks = append(acks, a)
	}
	select {
	case <-s.js.PublishAsyncComplete():
	case <-s.t.Context().Done():
		s.t.Fatal("the feed does not complete")
	}
	for _, a := range acks {
		select {
		case err := <-a.Err():
			s.t.Fatal(err)
		default:
		}
	}
}
