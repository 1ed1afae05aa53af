package bench

import (
	"bytes"
	"crypto/sha256"
	stdjson "encoding/json"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// lines are the wire form of a fleet of n events.
func lines(b testing.TB, n int) [][]byte {
	b.Helper()
	var out [][]byte
	f := Fleet{Seed: 1, Events: n, Active: 200, Size: 600, Loops: 0.05}
	err := f.Each(func(_, _ string, data []byte) error {
		out = append(out, bytes.Clone(data))
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return out
}

func decoded(b testing.TB, raw [][]byte) []events.Event {
	b.Helper()
	out := make([]events.Event, len(raw))
	for i := range raw {
		e, err := events.Decode(raw[i], 0)
		if err != nil {
			b.Fatal(err)
		}
		e.StreamSeq, e.Stored = uint64(i+1), e.Time
		out[i] = e
	}
	return out
}

func partition(b testing.TB, store state.Store) (*state.Partition, *engine.Engine) {
	b.Helper()
	part, err := state.OpenPartition(store, 0)
	if err != nil {
		b.Fatal(err)
	}
	policy, err := actions.Preset(actions.DefaultPreset)
	if err != nil {
		b.Fatal(err)
	}
	g, err := engine.New(part, policy, true, features.Key{1})
	if err != nil {
		b.Fatal(err)
	}
	return part, g
}

func BenchmarkDecode(b *testing.B) {
	raw := lines(b, 2000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := events.Decode(raw[i%len(raw)], 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodeGeneric is what decoding, a canonical form and a hash cost
// with the standard library's generic means.
func BenchmarkDecodeGeneric(b *testing.B) {
	raw := lines(b, 2000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		generic(b, raw[i%len(raw)])
	}
}

func generic(b testing.TB, data []byte) {
	var m map[string]any
	if err := stdjson.Unmarshal(data, &m); err != nil {
		b.Fatal(err)
	}
	canonical, err := stdjson.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	_ = sha256.Sum256(canonical)
}

// BenchmarkStep applies decoded events; every pass over the fleet begins with
// empty state.
func BenchmarkStep(b *testing.B) {
	all := decoded(b, lines(b, 20_000))
	b.ReportAllocs()
	var g *engine.Engine
	for i := 0; b.Loop(); i++ {
		if i%len(all) == 0 {
			_, g = partition(b, state.NewMemory())
		}
		e := all[i%len(all)]
		if _, err := g.Step(&e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLine is all that the processor does to an event but for the bus:
// decode, step, and commit every thousand.
func BenchmarkLine(b *testing.B) {
	raw := lines(b, 20_000)
	b.ReportAllocs()
	var part *state.Partition
	var g *engine.Engine
	store := state.NewMemory()
	var batch state.Batch
	for i := 0; b.Loop(); i++ {
		if i%len(raw) == 0 {
			store = state.NewMemory()
			part, g = partition(b, store)
		}
		e, err := events.Decode(raw[i%len(raw)], 0)
		if err != nil {
			b.Fatal(err)
		}
		e.StreamSeq, e.Stored = uint64(i+1), time.UnixMilli(e.Time.UnixMilli())
		if _, err := g.Step(&e); err != nil {
			b.Fatal(err)
		}
		if i%1000 != 999 {
			continue
		}
		batch.Reset()
		if err := part.Flush(&batch); err != nil {
			b.Fatal(err)
		}
		if err := store.Commit(&batch); err != nil {
			b.Fatal(err)
		}
		part.Committed()
	}
}
