package state

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/RaduBerinde/btreemap"
)

// errStoreClosed is what a closed Memory answers.
var errStoreClosed = errors.New("the store is closed")

// memoryDegree is the fan-out of the tree: nodes of about a thousand bytes of
// slice headers, where a binary search and a shift are both cheap.
const memoryDegree = 32

// Memory is a Store that forgets with the process: for replay, for the guard
// inside a worker and for tests. It keeps copies of keys and values, about
// 130 bytes over their own length an entry.
//
// A scan sees the store as it was when the scan began, so its function may
// read from and commit to the same store.
type Memory struct {
	mu     sync.RWMutex
	tree   *btreemap.BTreeMap[[]byte, []byte]
	closed bool
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{tree: btreemap.New[[]byte, []byte](memoryDegree, bytes.Compare)}
}

// Get returns a copy of the value of key; nil where the key is absent, never
// nil where it is present.
func (m *Memory) Get(key []byte) ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, fmt.Errorf("get %q: %w", key, errStoreClosed)
	}
	_, value, ok := m.tree.Get(key)
	if !ok {
		return nil, nil
	}
	return ownedCopy(value), nil
}

// Scan walks [from, to) upwards over the entries as they are now; a nil to
// has no upper bound.
func (m *Memory) Scan(from, to []byte, fn func(key, value []byte) bool) error {
	// A clone costs nothing now and copies the touched nodes at later
	// commits. It moves ownership inside the tree, hence the write lock.
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return fmt.Errorf("scan [%q, %q): %w", from, to, errStoreClosed)
	}
	snapshot := m.tree.Clone()
	m.mu.Unlock()

	stop := btreemap.Max[[]byte]()
	if to != nil {
		stop = btreemap.LT(to)
	}
	snapshot.AscendFunc(btreemap.GE(from), stop, fn)
	return nil
}

// Commit applies the batch, later writes over earlier ones. It fails on a
// closed store and on an empty key, before it has applied anything.
func (m *Memory) Commit(b *Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return fmt.Errorf("commit %d writes: %w", len(b.Ops), errStoreClosed)
	}
	for i, op := range b.Ops {
		if len(op.Key) == 0 {
			return fmt.Errorf("commit %d writes: number %d has an empty key", len(b.Ops), i)
		}
	}
	for _, op := range b.Ops {
		if op.Delete {
			m.tree.Delete(op.Key)
			continue
		}
		m.tree.ReplaceOrInsert(ownedCopy(op.Key), ownedCopy(op.Value))
	}
	return nil
}

// Len is the number of keys.
func (m *Memory) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.tree.Len()
}

// Close frees the entries.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return fmt.Errorf("close: %w", errStoreClosed)
	}
	m.closed = true
	m.tree.Clear(false)
	return nil
}

// ownedCopy copies b and is never nil.
func ownedCopy(b []byte) []byte {
	c := make([]byte, len(b))
	copy(c, b)
	return c
}
