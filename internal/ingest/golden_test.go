package ingest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

var update = flag.Bool("update", false, "write the golden files anew")

// told is what came of a file.
type told struct {
	events []events.Event
	lines  []string
	faults []string
}

// read tells a text and holds every event to what events accepts.
func read(t testing.TB, name, text string, f Format) told {
	t.Helper()
	var out told
	err := Read(name, strings.NewReader(text), f, func(e events.Event, raw []byte) error {
		if err := e.Validate(); err != nil {
			t.Errorf("%s: told an event that is none: %v", name, err)
		}
		back, err := events.Decode(raw, 0)
		if err != nil {
			t.Fatalf("%s: told a line that is no event: %v\n%s", name, err, raw)
		}
		if back.ID != e.ID || back.Seq != e.Seq || back.Run != e.Run {
			t.Errorf("%s: line and event differ:\n%s\n%+v", name, raw, e)
		}
		out.events = append(out.events, e)
		out.lines = append(out.lines, string(raw))
		return nil
	}, func(f replay.Fault) { out.faults = append(out.faults, f.Error()) })
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// fixtures are transcripts named FORMAT.WHAT.EXT: loop is what the policy of a
// fleet that chose none speaks about, work is what it is silent about.
func fixtures(t testing.TB) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/*.*.*")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range all {
		if !strings.HasSuffix(f, ".golden") {
			out = append(out, f)
		}
	}
	if len(out) < 14 {
		t.Fatalf("only %d fixtures", len(out))
	}
	return out
}

func load(t testing.TB, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func formatOf(file string) Format {
	f, _, _ := strings.Cut(filepath.Base(file), ".")
	return Format(f)
}

// Every fixture is recognised without its name, told without a fault, and told
// as its golden file says.
func TestGolden(t *testing.T) {
	for _, file := range fixtures(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text := load(t, file)
			got := read(t, "a/transcript.json", text, Auto)
			if len(got.faults) > 0 {
				t.Errorf("faults:\n%s", strings.Join(got.faults, "\n"))
			}
			if d := cmp.Diff(got.lines, read(t, "a/transcript.json", text, formatOf(file)).lines); d != "" {
				t.Errorf("recognised as another format (-auto +named):\n%s", d)
			}
			golden, all := file+".golden", strings.Join(got.lines, "\n")+"\n"
			if *update {
				if err := os.WriteFile(golden, []byte(all), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(load(t, golden), all); d != "" {
				t.Errorf("told otherwise (-golden +got); -update writes it anew:\n%s", d)
			}
		})
	}
}

// The policy of a fleet that chose none speaks about the loops and about
// nothing else.
func TestTheLoopsAreSeen(t *testing.T) {
	policy, err := actions.Preset("default")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Format]map[string]bool{}
	for _, file := range fixtures(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var acted []string
			r, err := replay.New(replay.Options{Policy: policy, Spool: t.TempDir()}, func(l replay.Line) error {
				if l.Reason == actions.Acted {
					acted = append(acted, l.Detector+" "+l.Summary)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			got := read(t, file, load(t, file), Auto)
			for i, e := range got.events {
				if err := r.Feed(e, []byte(got.lines[i])); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Finish(); err != nil {
				t.Fatal(err)
			}
			if r.Summary.Rejected > 0 {
				t.Errorf("%d events refused by the engine", r.Summary.Rejected)
			}
			loop := strings.Contains(file, ".loop")
			if loop != (len(acted) > 0) {
				t.Errorf("acted: %q", acted)
			}
			if seen[formatOf(file)] == nil {
				seen[formatOf(file)] = map[string]bool{}
			}
			seen[formatOf(file)][map[bool]string{true: "loop", false: "work"}[loop]] = true
		})
	}
	for _, f := range Formats()[1:] {
		if !seen[f]["loop"] || !seen[f]["work"] {
			t.Errorf("%s lacks a loop or work among its fixtures", f)
		}
	}
}

// The same file gives the same events, ids included, however it is cut up.
func TestToldTwiceTheSame(t *testing.T) {
	for _, file := range fixtures(t) {
		text := load(t, file)
		first := read(t, file, text, Auto)
		var again []string
		err := Read(file, slowly{strings.NewReader(text)}, Auto, func(_ events.Event, raw []byte) error {
			again = append(again, string(bytes.Clone(raw)))
			return nil
		}, func(f replay.Fault) { t.Error(f) })
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(first.lines, again); d != "" {
			t.Errorf("%s (-whole +in pieces):\n%s", file, d)
		}
		ids := map[string]bool{}
		for _, e := range first.events {
			if ids[e.ID] {
				t.Errorf("%s: id %s twice", file, e.ID)
			}
			ids[e.ID] = true
		}
	}
}

// slowly gives a few bytes at a time.
type slowly struct{ from *strings.Reader }

func (s slowly) Read(p []byte) (int, error) { return s.from.Read(p[:min(len(p), 7)]) }
