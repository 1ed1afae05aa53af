package pebblestore

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// Store is a state.Store in a directory that it alone owns. It is safe for
// concurrent readers and one writer; Sync may be called beside both.
//
// A scan sees the store as it was when the scan began, so its function may
// read from and commit to the same store, but not close it.
type Store struct {
	dir   string // as the caller named it
	db    *pebble.DB
	lock  *pebble.Lock
	gate  *gate
	fatal *fatal
	flush *flusher

	committed atomic.Uint64 // batches committed by this process
	syncing   sync.Mutex
	synced    uint64 // of committed, how many survive a loss of power; needs syncing
}

var _ state.Store = (*Store)(nil)

// Get returns a copy of the value of key; nil where the key is absent, never
// nil where it is present.
func (s *Store) Get(key []byte) ([]byte, error) {
	if err := s.gate.enter(); err != nil {
		return nil, fmt.Errorf("get %q: %w", key, err)
	}
	defer s.gate.leave()
	value, closer, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get %q from %s: %w", key, s.dir, hint(err))
	}
	out := make([]byte, len(value))
	copy(out, value)
	if err := closer.Close(); err != nil {
		return nil, fmt.Errorf("get %q from %s: %w", key, s.dir, hint(err))
	}
	return out, nil
}

// Scan walks [from, to) upwards over the entries as they are now; a nil to
// has no upper bound. Where it returns an error, fn has seen a part of them.
func (s *Store) Scan(from, to []byte, fn func(key, value []byte) bool) error {
	if err := s.gate.enter(); err != nil {
		return fmt.Errorf("scan [%q, %q): %w", from, to, err)
	}
	defer s.gate.leave()
	if to != nil && bytes.Compare(from, to) >= 0 {
		return nil // an empty upper bound is none to Pebble
	}
	if len(from) == 0 {
		from = nil // Pebble looks at the first byte of a bound
	}
	if err := s.scan(from, to, fn); err != nil {
		return fmt.Errorf("scan [%q, %q) of %s: %w", from, to, s.dir, hint(err))
	}
	return nil
}

func (s *Store) scan(from, to []byte, fn func(key, value []byte) bool) (err error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return err
	}
	defer func() {
		// Close says why the iterator ended, where it was not the last key.
		if closing := it.Close(); err == nil {
			err = closing
		}
	}()
	for more := it.First(); more; more = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if !fn(it.Key(), value) {
			return nil
		}
	}
	return nil
}

// Commit applies the batch whole or not at all, visible to every read that
// begins after it. It survives the end of the process as soon as the operating
// system has it, milliseconds later, and a loss of power after the next sync.
// After an error every later call gives the same error.
func (s *Store) Commit(b *state.Batch) error {
	if err := s.gate.enter(); err != nil {
		return fmt.Errorf("commit %d writes: %w", len(b.Ops), err)
	}
	defer s.gate.leave()
	if len(b.Ops) == 0 {
		return nil
	}
	if err := s.apply(b); err != nil {
		err = fmt.Errorf("commit %d writes to %s: %w", len(b.Ops), s.dir, hint(err))
		s.gate.fail(err)
		return err
	}
	s.committed.Add(1)
	return nil
}

func (s *Store) apply(b *state.Batch) error {
	defer s.fatal.stopOnPanic("commit")
	batch := s.db.NewBatch()
	for i, op := range b.Ops {
		if len(op.Key) == 0 {
			// Pebble takes it and panics when it writes a table.
			return fmt.Errorf("number %d has an empty key", i)
		}
		var err error
		if op.Delete {
			err = batch.Delete(op.Key, nil)
		} else {
			err = batch.Set(op.Key, op.Value, nil)
		}
		if err != nil {
			return err
		}
	}
	if err := s.db.Apply(batch, pebble.NoSync); err != nil {
		return err
	}
	return batch.Close()
}

// Sync returns when everything committed before the call survives a loss of
// power. It costs nothing where nothing was committed since the last one.
func (s *Store) Sync() error {
	if err := s.gate.enter(); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	defer s.gate.leave()
	s.syncing.Lock()
	defer s.syncing.Unlock()
	upTo := s.committed.Load()
	if upTo == s.synced {
		return nil
	}
	defer s.fatal.stopOnPanic("sync")
	if err := s.db.LogData(nil, pebble.Sync); err != nil {
		err = fmt.Errorf("sync %s: %w", s.dir, hint(err))
		s.gate.fail(err)
		return err
	}
	s.synced = upTo
	return nil
}

// DiskBytes is what the directory takes on disk, with files that are deleted
// as soon as nobody reads them. It is 0 on a closed store.
func (s *Store) DiskBytes() uint64 {
	if s.gate.enter() != nil {
		return 0
	}
	defer s.gate.leave()
	return s.db.Metrics().DiskSpaceUsage()
}

// Close waits for calls under way, syncs and lets go of the directory. It
// returns the error that ended the store before, where there is one.
func (s *Store) Close() error {
	s.flush.stop(s.gate.dead)
	if err := s.gate.close(); err != nil {
		return fmt.Errorf("close %s: %w", s.dir, err)
	}
	err := s.gate.err()
	if !s.gate.killed() {
		err = errors.Join(err, s.release())
	}
	if err != nil {
		return fmt.Errorf("close %s: %w", s.dir, hint(err))
	}
	return nil
}

// release syncs the log, as Pebble does when it closes it.
func (s *Store) release() error {
	defer s.fatal.stopOnPanic("close")
	return errors.Join(s.db.Close(), s.lock.Close())
}
