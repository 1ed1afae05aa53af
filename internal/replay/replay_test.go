package replay_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

func preset(t *testing.T, name string) *actions.Policy {
	t.Helper()
	p, err := actions.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// lines replays trace lines and returns what was decided, as run:kind:detector.
func lines(t *testing.T, opts replay.Options, trace string) ([]replay.Line, replay.Summary) {
	t.Helper()
	if opts.Fallback == nil {
		opts.Fallback = preset(t, "default")
	}
	opts.Spool = t.TempDir()
	var out []replay.Line
	r, err := replay.New(opts, func(l replay.Line) error { out = append(out, l); return nil })
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(trace) {
		e, err := events.Decode([]byte(strings.TrimSpace(l)), 0)
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		if err := r.Feed(e, []byte(strings.TrimSpace(l))); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return out, r.Summary
}

// story writes a run that makes the same call three times, ten seconds apart.
func story(task string, from time.Time) string {
	var b strings.Builder
	for i := range 3 {
		at := from.Add(time.Duration(i) * 10 * time.Second).Format(time.RFC3339)
		fmt.Fprintf(&b, `{"v":1,"id":"%s-c%d","kind":"tool_call","task":"%s","run":"%s","seq":%d,"time":"%s","round":%d,"call":{"id":"c%d","tool":"grep","args":{"q":"foo"}}}`+"\n", task, i, task, task, 2*i+1, at, i+1, i)
		fmt.Fprintf(&b, `{"v":1,"id":"%s-r%d","kind":"tool_result","task":"%s","run":"%s","seq":%d,"time":"%s","round":%d,"result":{"call_id":"c%d","tool":"grep","content":"no matches in %s"}}`+"\n", task, i, task, task, 2*i+2, at, i+1, i, task)
	}
	return b.String()
}

var morning = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

func TestDecisionsQuoteEarlierLines(t *testing.T) {
	out, sum := lines(t, replay.Options{Policy: preset(t, "sundry")}, story("a", morning))
	if len(out) != 3 || out[0].Kind != actions.Inject || out[1].Kind != actions.HaltRun || out[2].Kind != actions.Escalate {
		t.Fatalf("decided %+v", out)
	}
	if !strings.Contains(out[2].Summary, "no matches in a") {
		t.Errorf("the escalation does not say what came back:\n%s", out[2].Summary)
	}
	want := []string{"a-c0", "a-c1"}
	if d := cmp.Diff(want, out[0].Evidence.Events); d != "" {
		t.Errorf("evidence (-want +got):\n%s", d)
	}
	if sum.Events != 6 || sum.Runs != 1 || sum.Acted != 3 || sum.Halted != 1 || sum.Injected != 1 || sum.Escalated != 1 {
		t.Errorf("summary %+v", sum)
	}
}

// No decision of a hand-made trace depends on another task in the file.
func TestTasksAreIndependent(t *testing.T) {
	a, b := story("a", morning), story("b", morning.Add(-100*24*time.Hour))
	alone, _ := lines(t, replay.Options{Policy: preset(t, "sundry")}, a)
	var mixed strings.Builder
	as, bs := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	for i := range as {
		mixed.WriteString(bs[i] + as[i])
	}
	both, _ := lines(t, replay.Options{Policy: preset(t, "sundry")}, mixed.String())
	var of []replay.Line
	for _, l := range both {
		if l.Run == "a" {
			l.Evidence.StreamSeqs = nil
			of = append(of, l)
		}
	}
	for i := range alone {
		alone[i].Evidence.StreamSeqs = nil
	}
	if d := cmp.Diff(alone, of); d != "" {
		t.Errorf("another task in the file makes a difference (-alone +together):\n%s", d)
	}
}

// A trace's own policy is obeyed from its place on, unless one is given.
func TestTheTracesOwnPolicy(t *testing.T) {
	yaml, _ := actions.PresetYAML("sundry")
	policy, err := events.Encode(events.Event{
		V: 1, ID: "p1", Kind: events.PolicyChange, Time: morning, Policy: &events.Policy{Name: "sundry", Digest: "any", YAML: string(yaml)},
	})
	if err != nil {
		t.Fatal(err)
	}
	trace := string(policy) + "\n" + story("a", morning)
	if out, _ := lines(t, replay.Options{}, trace); len(out) != 3 {
		t.Errorf("under the trace's sundry: %d decisions", len(out))
	}
	if out, _ := lines(t, replay.Options{Policy: preset(t, "forty-times")}, trace); len(out) == 0 || out[0].Kind != actions.HaltRun {
		t.Errorf("under a given policy: %+v", out)
	}
}

// Ticks run to Until after the last event, not before it is said.
func TestUntil(t *testing.T) {
	start := `{"v":1,"id":"s","kind":"run_start","run":"a","seq":1,"time":"2026-01-05T09:00:00Z","start":{}}`
	quiet := start + "\n"
	opts := replay.Options{Until: morning.Add(26 * time.Hour)}
	if out, sum := lines(t, opts, quiet); sum.Runs != 1 || len(out) != 0 {
		t.Errorf("a lost run decides %+v (%+v)", out, sum)
	}
}

func TestRefusedEventsAreCounted(t *testing.T) {
	trace := `{"v":1,"id":"s","kind":"run_start","run":"a","seq":1,"time":"2026-01-05T09:00:00Z","start":{}}
{"v":1,"id":"e","kind":"run_end","run":"a","seq":2,"time":"2026-01-05T09:00:01Z","end":{"status":"done"}}
{"v":1,"id":"t","kind":"turn","run":"a","seq":3,"round":1,"time":"2026-01-05T09:00:02Z","turn":{}}
`
	if _, sum := lines(t, replay.Options{}, trace); sum.Rejected != 1 || sum.Events != 3 {
		t.Errorf("summary %+v", sum)
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	good := story("a", morning)
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(good))
	_ = z.Close()
	packed := zipped.String()
	cut := packed[:len(packed)-40] // within its last line
	huge := `{"v":1,"id":"` + strings.Repeat("x", 2<<20) + `"}` + "\n"
	for _, c := range []struct {
		name, file, stdin string
		events            int
		faults            []string
	}{
		{name: "plain", file: write("a.jsonl", []byte(good)), events: 6},
		{name: "gzip", file: write("a.jsonl.gz", zipped.Bytes()), events: 6},
		{name: "gzip under another name", file: write("b.jsonl", zipped.Bytes()), events: 6},
		{name: "plain, named as packed", file: write("c.jsonl.gz", []byte(good)), events: 6},
		{name: "a byte order mark", file: write("d.jsonl", []byte("\ufeff"+good)), events: 6},
		{name: "stdin", file: "-", stdin: good, events: 6},
		{name: "stdin, packed", file: "-", stdin: packed, events: 6},
		{name: "packed and damaged", file: "-", stdin: cut, events: 4, faults: []string{"-:5: nothing can be read from here on: "}},
		{name: "a check sum that is wrong", file: "-", stdin: packed[:len(packed)-8] + "12345678", events: 6, faults: []string{"-:7: "}},
		{name: "a directory", file: dir, faults: []string{dir + ":1: "}},
		{name: "no end of line", file: "-", stdin: strings.TrimSuffix(good, "\n"), events: 6},
		{name: "blank lines and carriage returns", file: "-", stdin: "\n\r\n" + strings.ReplaceAll(good, "\n", "\r\n"), events: 6},
		{name: "a bad line among good ones", file: "-", stdin: "{\n" + good + "[]\n", events: 6, faults: []string{"-:1: ", "-:8: "}},
		{name: "a line far too long", file: "-", stdin: huge + good, events: 6, faults: []string{"-:1: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := 0
			var faults []string
			err := replay.ReadFile(c.file, strings.NewReader(c.stdin), func(events.Event, []byte) error { n++; return nil },
				func(f replay.Fault) { faults = append(faults, f.Error()) })
			if err != nil {
				t.Fatal(err)
			}
			if n != c.events || len(faults) != len(c.faults) {
				t.Fatalf("%d events, faults %q", n, faults)
			}
			for i, want := range c.faults {
				if !strings.HasPrefix(faults[i], want) {
					t.Errorf("fault %q does not begin with %q", faults[i], want)
				}
			}
		})
	}
}

func TestReadFileErrors(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "x.jsonl.gz")
	if err := os.WriteFile(broken, []byte("\x1f\x8bno gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	none := func(replay.Fault) {}
	take := func(events.Event, []byte) error { return nil }
	for name, file := range map[string]string{"missing": "/nowhere/a.jsonl", "no gzip": broken} {
		if err := replay.ReadFile(file, nil, take, none); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	stop := errors.New("stop")
	err := replay.ReadFile("-", strings.NewReader(story("a", morning)), func(events.Event, []byte) error { return stop }, none)
	if !errors.Is(err, stop) {
		t.Errorf("an error of the reader is lost: %v", err)
	}
}
