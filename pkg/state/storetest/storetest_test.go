package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// mutant is a Memory with one promise broken by replacing a method.
type mutant struct {
	*state.Memory
	get    func(m *state.Memory, key []byte) ([]byte, error)
	scan   func(m *state.Memory, from, to []byte, fn func(key, value []byte) bool) error
	commit func(m *state.Memory, b *state.Batch) error
	close  func(m *state.Memory) error
}

func (s mutant) Get(key []byte) ([]byte, error) {
	if s.get != nil {
		return s.get(s.Memory, key)
	}
	return s.Memory.Get(key)
}

func (s mutant) Scan(from, to []byte, fn func(key, value []byte) bool) error {
	if s.scan != nil {
		return s.scan(s.Memory, from, to, fn)
	}
	return s.Memory.Scan(from, to, fn)
}

func (s mutant) Commit(b *state.Batch) error {
	if s.commit != nil {
		return s.commit(s.Memory, b)
	}
	return s.Memory.Commit(b)
}

func (s mutant) Close() error {
	if s.close != nil {
		return s.close(s.Memory)
	}
	return s.Memory.Close()
}

// Every promise has a store that breaks it, and the case of that name says so.
func TestBrokenStoresAreFound(t *testing.T) {
	for _, c := range mutants {
		t.Run(c.broken, func(t *testing.T) {
			at := slices.IndexFunc(checks(), func(k check) bool { return k.name == c.check })
			if at < 0 {
				t.Fatalf("no case is called %q", c.check)
			}
			s := c.store()
			if s.Memory == nil {
				s.Memory = state.NewMemory()
			}
			if err := checks()[at].run(s); err == nil {
				t.Errorf("%q passes on a store with %s", c.check, c.broken)
			}
		})
	}
}

func TestEveryCheckHasAMutant(t *testing.T) {
	for _, k := range checks() {
		if !slices.ContainsFunc(mutants, func(m mutantCase) bool { return m.check == k.name }) {
			t.Errorf("nothing shows that %q can fail", k.name)
		}
	}
}

func TestBrokenLivesAreFound(t *testing.T) {
	for broken, reopened := range map[string]func(before *state.Memory) *state.Memory{
		"nothing kept":       func(*state.Memory) *state.Memory { return state.NewMemory() },
		"the last key lost":  func(m *state.Memory) *state.Memory { return without(m, m.Len()-1) },
		"the first key lost": func(m *state.Memory) *state.Memory { return without(m, 0) },
	} {
		for _, c := range durableChecks[1:] { // an empty store has nothing to lose
			t.Run(broken+"/"+c.name, func(t *testing.T) {
				kept := state.NewMemory()
				open := func() state.Store {
					kept = reopened(kept)
					return mutant{Memory: kept, close: func(*state.Memory) error { return nil }}
				}
				if err := c.run(open); err == nil {
					t.Errorf("%q passes with %s", c.name, broken)
				}
			})
		}
	}
}

func TestModelFindsBrokenStores(t *testing.T) {
	set := func(key, value string) state.Op { return state.Op{Key: []byte(key), Value: []byte(value)} }
	steps := []step{
		{kind: stepCommit, ops: []state.Op{set("a", "1"), set("a", "2"), set("b", "")}},
		{kind: stepGet, key: "a"}, {kind: stepGet, key: "b"}, {kind: stepGet, key: "c"},
		{kind: stepScan, from: []byte("a"), to: []byte("b")},
		{kind: stepCommit, ops: []state.Op{{Key: []byte("a"), Delete: true}}},
		{kind: stepScan},
	}
	if err := runModel(state.NewMemory(), nil, steps); err != nil {
		t.Fatalf("a sound store: %v", err)
	}
	for _, broken := range []string{"absent as empty", "empty as absent", "an inclusive upper bound", "the first write of a batch winning", "deletes forgotten"} {
		at := slices.IndexFunc(mutants, func(m mutantCase) bool { return m.broken == broken })
		s := mutants[at].store()
		s.Memory = state.NewMemory()
		if err := runModel(s, nil, steps); err == nil {
			t.Errorf("the model passes on a store with %s", broken)
		}
	}
	lost := func() state.Store { return state.NewMemory() }
	if err := runModel(lost(), lost, []step{steps[0], {kind: stepReopen}}); err == nil {
		t.Error("the model passes on a store that forgets")
	}
}

func TestAbbreviated(t *testing.T) {
	for in, want := range map[string]string{
		"":                                    "",
		"short":                               "short",
		string(bytes.Repeat([]byte("x"), 41)): fmt.Sprintf("%s… (41 bytes)", bytes.Repeat([]byte("x"), 40)),
	} {
		if got := abbreviated(in); got != want {
			t.Errorf("abbreviated(%q) = %q, want %q", in, got, want)
		}
	}
}

// without copies m but for the key in place skip.
func without(m *state.Memory, skip int) *state.Memory {
	out, at := state.NewMemory(), 0
	_ = m.Scan(nil, nil, func(key, value []byte) bool {
		if at != skip {
			_ = out.Commit(&state.Batch{Ops: []state.Op{{Key: key, Value: value}}})
		}
		at++
		return true
	})
	return out
}

// halfCommitted applies its tenth batch in two halves and lets a whole scan
// pass between them; it waits for one, so readers must be scanning beside it.
func halfCommitted() mutant {
	var mu sync.RWMutex // a scan is before the first half or after it
	var commits, scans atomic.Int32
	half := false
	return mutant{
		scan: func(m *state.Memory, from, to []byte, fn func(key, value []byte) bool) error {
			mu.RLock()
			defer mu.RUnlock()
			if half {
				defer scans.Add(1)
			}
			return m.Scan(from, to, fn)
		},
		commit: func(m *state.Memory, b *state.Batch) error {
			if commits.Add(1) != 10 {
				return m.Commit(b)
			}
			at := len(b.Ops) / 2
			mu.Lock()
			first := m.Commit(&state.Batch{Ops: b.Ops[:at]})
			half = true
			mu.Unlock()
			for scans.Load() == 0 {
				runtime.Gosched()
			}
			return errors.Join(first, m.Commit(&state.Batch{Ops: b.Ops[at:]}))
		},
	}
}
