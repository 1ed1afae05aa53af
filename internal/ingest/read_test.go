package ingest

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/events"
)

const short = `[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(short)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	plainFile, packedFile := filepath.Join(dir, "a talk.json"), filepath.Join(dir, "a talk.json.gz")
	for name, body := range map[string][]byte{plainFile: []byte(short), packedFile: packed.Bytes()} {
		if err := os.WriteFile(name, body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := events.EscapeName(filepath.ToSlash(filepath.Join(dir, "a talk")))
	for _, name := range []string{plainFile, packedFile, "-"} {
		var runs []string
		err := ReadFile(name, strings.NewReader(short), Auto, func(e events.Event, _ []byte) error {
			runs = append(runs, e.Run)
			return nil
		}, func(f replay.Fault) { t.Error(f) })
		run := want
		if name == "-" {
			run = "stdin"
		}
		if d := cmp.Diff([]string{run, run, run}, runs); err != nil || d != "" {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
	}
}

func TestSourceName(t *testing.T) {
	for name, want := range map[string]string{
		"-": "stdin", "a.json": "a", "./a.jsonl.gz": "a", "x/../y/b.traj": "y/b", "c": "c", ".json": ".json", "d/.jsonl": "d/.jsonl",
		"e.txt": "e.txt", "f.json.traj": "f.json",
	} {
		if got := sourceName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A trace of our own is handed on byte by byte, with its own faults.
func TestOurOwnTrace(t *testing.T) {
	const line = `{"v":1, "id":"e1","kind":"tool_call","run":"r1","seq":1,"time":"2026-01-05T09:00:01Z","round":1,"call":{"id":"c1","tool":"ls","args":{}}}`
	var lines, faults []string
	err := Read("f", strings.NewReader(line+"\n{\"v\":1,\"kind\":\"turn\"}\n"+line), Auto, func(_ events.Event, raw []byte) error {
		lines = append(lines, string(raw))
		return nil
	}, func(f replay.Fault) { faults = append(faults, f.Error()) })
	if d := cmp.Diff([]string{line, line}, lines); err != nil || d != "" || len(faults) != 1 || !strings.HasPrefix(faults[0], "f:2: reject event") {
		t.Errorf("%v, faults %q\n%s", err, faults, d)
	}
}

// A run's clock is its transcript's, or a second an event from a fixed day on.
func TestTimes(t *testing.T) {
	got := read(t, "f", `{"role":"user","content":"a"}
{"role":"user","content":"b"}
{"role":"user","content":"c","timestamp":"2026-01-05T09:00:00+01:00"}
{"role":"user","content":"d"}
{"role":"user","content":"e","timestamp":1767603600}
{"role":"user","content":"f","timestamp":"soon"}`, OpenAIChat)
	var times []string
	for _, e := range got.events {
		times = append(times, e.Time.Format(time.RFC3339))
	}
	want := []string{
		"2000-01-01T00:00:01Z", "2000-01-01T00:00:02Z", "2000-01-01T00:00:03Z",
		"2026-01-05T08:00:00Z", "2026-01-05T08:00:00Z", "2026-01-05T09:00:00Z", "2026-01-05T09:00:00Z",
	}
	if d := cmp.Diff(want, times); d != "" {
		t.Errorf("times (-want +got):\n%s", d)
	}
}

// Long texts are cut the way workers cut them, and stay different.
func TestLongTextsAreCut(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	got := read(t, "f", `[{"role":"user","content":"`+long+`"},{"role":"assistant","content":"`+long+`","tool_calls":[{"id":"`+long+`","function":{"name":"`+long+`","arguments":"{\"a\":\"`+long+`\"}"}}]},
{"role":"tool","tool_call_id":"`+long+`","content":"`+long+`"}]`, OpenAIChat)
	if len(got.faults) > 0 || len(got.events) != 5 {
		t.Fatalf("told %d events, faults %q", len(got.events), got.faults)
	}
	call, res := got.events[3].Call, got.events[4].Result
	if len(call.ID) != 64 || res.CallID != call.ID || res.Tool != call.Tool || len(call.Tool) > events.MaxID {
		t.Errorf("call %q of %q, result of %q", call.ID, call.Tool, res.CallID)
	}
	if !res.Truncated || res.ContentSHA == "" || !strings.Contains(string(call.Args), `"$h"`) {
		t.Errorf("result cut %v, arguments %.80s", res.Truncated, call.Args)
	}
	for i, l := range got.lines {
		if len(l) > maxContent+(4<<10) {
			t.Errorf("line %d has %d bytes", i, len(l))
		}
	}
}

// Names of other systems are escaped, and a run is never its own parent.
func TestNames(t *testing.T) {
	text := `{"type":"user","sessionId":"_a b","uuid":"u","isSidechain":true,"message":{"role":"user","content":"x"}}`
	got := read(t, "f", text, ClaudeCode)
	if e := got.events[0]; e.Run != "=5Fa=20b=2Fu" || e.Parent != "=5Fa=20b" || e.Task != "=5Fa=20b" || e.Agent != "claude-code" {
		t.Errorf("told %+v", e)
	}
	long := read(t, "f", strings.ReplaceAll(text, "_a b", strings.Repeat("n", 500)), ClaudeCode)
	if e := long.events[0]; len(e.Run) > events.MaxName || len(e.Parent) > events.MaxName || e.Run == e.Parent {
		t.Errorf("told %+v", e)
	}
}

// Calls that are never answered do not gather without end.
func TestCallsThatAreNeverAnswered(t *testing.T) {
	r := (&teller{runs: map[string]*run{}, emit: func(events.Event, []byte) error { return nil }}).run("r")
	for range 3 * maxOpen {
		if err := r.call(events.Call{Tool: "t"}, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.calls) > maxOpen {
		t.Errorf("%d calls wait", len(r.calls))
	}
}

func TestLineAt(t *testing.T) {
	b := &budget{in: strings.NewReader("a\n\nb\nc"), left: 100, line: 1}
	if _, err := b.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		offset int64
		line   int
	}{{0, 1}, {1, 1}, {2, 2}, {3, 3}, {3, 3}, {4, 3}, {5, 4}, {99, 4}} {
		if got := b.lineAt(c.offset); got != c.line {
			t.Errorf("offset %d on line %d, want %d", c.offset, got, c.line)
		}
	}
}
