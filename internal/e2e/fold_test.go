package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/trace"
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
	"github.com/loopwatch/loopwatch/pkg/state/pebblestore"
)

// Nothing changes a run's state except an event of its partition: what a
// processor holds after kills and restarts equals, byte for byte, the fold of
// the stored events through a fresh engine.
func TestStateIsTheFoldOfItsEvents(t *testing.T) {
	s := newStage(t, "default")
	data := t.TempDir()
	lines := recorded(t, 48)
	third := len(lines) / 3
	for i := range 2 {
		p := s.start(data, "")
		s.wait(p)
		s.feed(lines[i*third : (i+1)*third])
		s.drain(p)
		p.kill()
	}
	s.feed(lines[2*third:])
	p := s.start(data, "")
	s.wait(p)
	p.stop(t)

	live := stored(t, data)
	folded := s.fold(data)
	if len(live) < 20 {
		t.Fatalf("%d runs: the test proves nothing", len(live))
	}
	for id, want := range folded {
		if !bytes.Equal(live[id], want) {
			t.Errorf("run %s: the stored state is not the fold of its events (%d and %d bytes)", id.Run, len(live[id]), len(want))
		}
	}
	if len(live) != len(folded) {
		t.Errorf("%d runs stored, %d folded", len(live), len(folded))
	}
}

// stored returns every run in a data directory, encoded.
func stored(t *testing.T, data string) map[state.RunID][]byte {
	t.Helper()
	store, err := pebblestore.Open(filepath.Join(data, "state"), pebblestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	out := map[state.RunID][]byte{}
	for n := range partitions {
		part, err := state.OpenPartition(store, n)
		if err != nil {
			t.Fatal(err)
		}
		encode(t, part, out)
	}
	return out
}

func encode(t *testing.T, part *state.Partition, into map[state.RunID][]byte) {
	t.Helper()
	if err := part.EachRun(func(r *state.Run) bool {
		into[r.ID] = state.AppendRun(nil, r)
		return true
	}); err != nil {
		t.Fatal(err)
	}
}

// fold applies the dump of every partition to a fresh engine with the hash key
// of the data directory.
func (s *stage) fold(data string) map[state.RunID][]byte {
	s.t.Helper()
	keys, err := app.LoadKeys(filepath.Join(data, "keys"))
	if err != nil {
		s.t.Fatal(err)
	}
	out := map[state.RunID][]byte{}
	engines := map[int]*engine.Engine{}
	parts := map[int]*state.Partition{}
	for _, l := range s.dump() {
		e, err := events.Decode(l, events.DefaultLimit)
		if err != nil {
			s.t.Fatal(err)
		}
		n := *e.Partition
		if engines[n] == nil {
			if parts[n], err = state.OpenPartition(state.NewMemory(), n); err != nil {
				s.t.Fatal(err)
			}
			if engines[n], err = engine.New(parts[n], preset(s.t, "default"), false, keys.Hash); err != nil {
				s.t.Fatal(err)
			}
		}
		if _, err := engines[n].Step(&e); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, p := range parts {
		encode(s.t, p, out)
	}
	return out
}

// Every story that the detectors are tested with is judged alike by a live
// processor and by a replay.
func TestTracesAgreeLiveAndReplayed(t *testing.T) {
	for _, policy := range []string{"default", "sundry", "forty-times"} {
		t.Run(policy, func(t *testing.T) {
			lines := traceLines(t)
			s := newStage(t, policy)
			p := s.start(t.TempDir(), "")
			s.wait(p)
			s.feed(lines)
			s.wait(p)
			p.stop(t)
			live := decisions(s.logged())
			if len(live) < 20 {
				t.Fatalf("%d decisions: the test proves nothing", len(live))
			}
			s.same("traces", live, untimed(replayed(s, preset(t, policy), lines)))
			s.same("dump", live, replayed(s, nil, s.dump()))
		})
	}
}

// untimed leaves out what stored time alone decided: the stories are told in
// their own time, and a live stream stores them within a moment.
func untimed(all []decision) []decision {
	return slices.DeleteFunc(all, func(d decision) bool {
		spec, ok := detectors.Lookup(d.Detector)
		return ok && spec.Due != nil
	})
}

// traceLines returns the events of all sections of all traces, each section in
// a task of its own.
func traceLines(t *testing.T) [][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "pkg", "detectors", "testdata", "*.trace"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no traces: %v", err)
	}
	var out [][]byte
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		sections, err := trace.Parse(f, src)
		if err != nil {
			t.Fatal(err)
		}
		for i := range sections {
			if ev := sections[i].Events; len(ev) == 0 || ev[len(ev)-1].Time.Sub(ev[0].Time) > 12*time.Hour {
				continue // a replay lets its days pass, and a run without events is lost
			}
			out = append(out, sectionLines(t, filepath.Base(f), &sections[i])...)
		}
	}
	return out
}

var zeroTime time.Time

func sectionLines(t *testing.T, file string, s *trace.Section) [][]byte {
	t.Helper()
	var out [][]byte
	task := events.EscapeName(file + " " + s.Title)
	for _, e := range s.Events {
		if e.Kind.Ours() || e.Ack != nil {
			continue
		}
		own := func(name string) string { return events.EscapeName(task[:min(len(task), 60)] + "-" + name) }
		e.ID, e.Task, e.Run, e.StreamSeq = task+" "+e.ID, task, own(e.Run), 0
		e.ID = events.EscapeName(e.ID)
		if e.Parent != "" {
			e.Parent = own(e.Parent)
		}
		e.Stored, e.Partition = zeroTime, nil
		line, err := events.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, line)
	}
	return out
}
