package bench

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

var update = flag.Bool("update", false, "write the baseline anew")

// baseline is what is committed and compared: allocations of an event, and what
// the plain means cost against ours. There are no seconds in it.
type baseline struct {
	Allocs map[string]float64 `json:"allocs"`
	Ratio  map[string]float64 `json:"ratio"`
}

// TestBaseline fails where an event allocates more than it did, or where a
// ratio of CPU time has lost more than half.
func TestBaseline(t *testing.T) {
	if testing.Short() {
		t.Skip("allocations and ratios are another thing under the race detector, which runs with -short")
	}
	got := baseline{
		Allocs: map[string]float64{
			"decode":       allocsOfDecode(t),
			"step_warm":    allocsOfStep(t, 3000),
			"step_begins":  allocsOfFleet(t),
			"flush_of_run": allocsOfFlush(t),
		},
		Ratio: map[string]float64{"generic_decode": genericAgainstOurs(t)},
	}
	path := filepath.Join("testdata", "baseline.json")
	if *update {
		for _, m := range []map[string]float64{got.Allocs, got.Ratio} {
			for k := range m {
				m[k] = math.Round(100*m[k]) / 100
			}
		}
		b, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(b, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want baseline
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	for name, n := range got.Allocs {
		if most, ok := want.Allocs[name]; !ok || n > most*1.05+0.01 {
			t.Errorf("%s: %.2f allocations, the baseline is %.2f: find out what allocates, or run with -update and say why", name, n, most)
		}
	}
	for name, x := range got.Ratio {
		if least, ok := want.Ratio[name]; !ok || x < least/2 {
			t.Errorf("%s: %.2f, the baseline is %.2f", name, x, least)
		}
	}
	t.Logf("%+v", got)
}

// mallocs is how many objects were allocated so far.
func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

func allocsOfDecode(t *testing.T) float64 {
	raw := lines(t, 300)
	var d events.Decoder
	var e events.Event
	for _, data := range raw { // its memory grows to the largest
		if err := d.Decode(data, 0, &e); err != nil {
			t.Fatal(err)
		}
	}
	i := 0
	return testing.AllocsPerRun(len(raw)-1, func() {
		if err := d.Decode(raw[i], 0, &e); err != nil {
			t.Fatal(err)
		}
		i++
	})
}

// allocsOfStep is of a run that has made so many calls that its memory is full.
func allocsOfStep(t *testing.T, calls int) float64 {
	_, g := partition(t, state.NewMemory())
	const measured = 900
	var held []events.Event
	n := 0
	err := Fleet{Seed: 1, Size: 600}.One(calls+measured/3, func(e events.Event) error {
		if n++; n > 3*calls && len(held) <= measured {
			held = append(held, e)
			return nil
		}
		_, err := g.Step(&e)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	before := mallocs()
	for i := range held {
		if _, err := g.Step(&held[i]); err != nil {
			t.Fatal(err)
		}
	}
	return float64(mallocs()-before) / float64(len(held))
}

// allocsOfFleet is of runs that begin, go on and end.
func allocsOfFleet(t *testing.T) float64 {
	_, g := partition(t, state.NewMemory())
	all := decoded(t, lines(t, 6000))
	before := mallocs()
	for i := range all {
		if _, err := g.Step(&all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return float64(mallocs()-before) / float64(len(all))
}

// allocsOfFlush is of writing a run again.
func allocsOfFlush(t *testing.T) float64 {
	store := state.NewMemory()
	part, g := partition(t, store)
	all := decoded(t, lines(t, 2000))
	for i := range all {
		if _, err := g.Step(&all[i]); err != nil {
			t.Fatal(err)
		}
	}
	var b state.Batch
	runs := 0
	touch := func() {
		runs = 0
		err := part.EachRun(func(r *state.Run) bool {
			part.Touch(r)
			runs++
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	flush := func() {
		b.Reset()
		if err := part.Flush(&b); err != nil {
			t.Fatal(err)
		}
	}
	flush()
	if err := store.Commit(&b); err != nil {
		t.Fatal(err)
	}
	part.Committed()
	touch()
	flush() // grows what is used again
	before := mallocs()
	flush()
	return float64(mallocs()-before) / float64(runs)
}

// genericAgainstOurs is how much more CPU time decoding, a canonical form and a
// hash take by generic means than our decoding; the best of several.
func genericAgainstOurs(t *testing.T) float64 {
	raw := lines(t, 2000)
	best := func(passes int, fn func([]byte)) float64 {
		least := math.Inf(1)
		for range 3 {
			before := ownCPU()
			for range passes { // enough of them for a coarse clock
				for _, data := range raw {
					fn(data)
				}
			}
			least = min(least, (ownCPU()-before)/float64(passes))
		}
		return least
	}
	var d events.Decoder
	var e events.Event
	ours := best(20, func(data []byte) {
		if err := d.Decode(data, 0, &e); err != nil {
			t.Fatal(err)
		}
	})
	return best(2, func(data []byte) { generic(t, data) }) / ours
}
