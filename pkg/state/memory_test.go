package state_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/state"
	"github.com/loopwatch/loopwatch/pkg/state/storetest"
)

var _ state.Store = (*state.Memory)(nil)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) state.Store { return state.NewMemory() })
}

func TestMemoryLen(t *testing.T) {
	m := state.NewMemory()
	var b state.Batch
	b.Set([]byte("a"), nil)
	b.Set([]byte("b"), nil)
	b.Set([]byte("a"), []byte("again"))
	b.Delete([]byte("absent"))
	if err := m.Commit(&b); err != nil {
		t.Fatal(err)
	}
	if got := m.Len(); got != 2 {
		t.Errorf("Len = %d, want 2", got)
	}
	b.Reset()
	b.Delete([]byte("a"))
	if err := m.Commit(&b); err != nil {
		t.Fatal(err)
	}
	if got := m.Len(); got != 1 {
		t.Errorf("Len after a delete = %d, want 1", got)
	}
}

func TestMemoryErrorsNameTheCall(t *testing.T) {
	m := state.NewMemory()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	_, get := m.Get([]byte("run/1"))
	for want, err := range map[string]error{
		`get "run/1": the store is closed`:     get,
		`scan ["a", "b"): the store is closed`: m.Scan([]byte("a"), []byte("b"), nil),
		`commit 0 writes: the store is closed`: m.Commit(&state.Batch{}),
		`close: the store is closed`:           m.Close(),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %s", err, want)
		}
	}
}

// A scan that is under way keeps its view while the tree below it is rebuilt.
func TestMemoryScanOutlivesAClear(t *testing.T) {
	const n = 5000
	m := state.NewMemory()
	var fill, drop state.Batch
	for i := range n {
		fill.Set(fmt.Appendf(nil, "%05d", i), []byte("v"))
		drop.Delete(fmt.Appendf(nil, "%05d", i))
	}
	if err := m.Commit(&fill); err != nil {
		t.Fatal(err)
	}
	seen := 0
	err := m.Scan(nil, nil, func(_, _ []byte) bool {
		if seen == 0 {
			if err := m.Commit(&drop); err != nil {
				t.Error(err)
			}
		}
		seen++
		return true
	})
	if err != nil || seen != n || m.Len() != 0 {
		t.Errorf("scan saw %d keys, %v, and left %d; want %d, nil and 0", seen, err, m.Len(), n)
	}
}

// BenchmarkMemory says what a million runs cost: fill them, then update one,
// read one and walk ten.
func BenchmarkMemory(b *testing.B) {
	const n = 1_000_000
	key := func(i int) []byte { return fmt.Appendf(nil, "run/%07d", i%n) }
	m := state.NewMemory()
	var batch state.Batch
	for i := range n {
		batch.Set(key(i), make([]byte, 64))
	}
	if err := m.Commit(&batch); err != nil {
		b.Fatal(err)
	}
	batch.Reset()
	b.ReportAllocs()
	b.Run("commit", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			batch.Reset()
			batch.Set(key(i*7919), make([]byte, 64))
			if err := m.Commit(&batch); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("get", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, err := m.Get(key(i * 7919)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("scan ten", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			left := 10
			if err := m.Scan(key(i*7919), nil, func(_, _ []byte) bool { left--; return left > 0 }); err != nil {
				b.Fatal(err)
			}
		}
	})
}
