package storetest

import (
	"errors"
	"fmt"

	"github.com/loopwatch/loopwatch/pkg/state"
)

var batchChecks = []check{
	{"an empty batch changes nothing", func(s state.Store) error {
		return errors.Join(put(s), expectScan(s, nil, nil), put(s, entry{"a", "1"}), put(s), expectScan(s, nil, nil, entry{"a", "1"}))
	}},
	{"a later write of a batch wins", func(s state.Store) error {
		var b state.Batch
		b.Set([]byte("twice"), []byte("first"))
		b.Set([]byte("twice"), []byte("second"))
		b.Set([]byte("gone"), []byte("1"))
		b.Delete([]byte("gone"))
		b.Delete([]byte("back"))
		b.Set([]byte("back"), []byte("again"))
		return errors.Join(commit(s, &b),
			expectAbsent(s, "gone"),
			expectScan(s, nil, nil, entry{"back", "again"}, entry{"twice", "second"}))
	}},
	{"a later batch wins", func(s state.Store) error {
		return errors.Join(
			put(s, entry{"a", "long value"}, entry{"b", "1"}), put(s, entry{"a", ""}), put(s, entry{"b", "2"}),
			expectScan(s, nil, nil, entry{"a", ""}, entry{"b", "2"}))
	}},
	{"a deleted key is absent and can come back", func(s state.Store) error {
		var b state.Batch
		b.Delete([]byte("a"))
		return errors.Join(
			put(s, entry{"a", "1"}, entry{"b", "2"}), commit(s, &b),
			expectAbsent(s, "a"), expectScan(s, nil, nil, entry{"b", "2"}),
			put(s, entry{"a", "3"}), expectScan(s, nil, nil, entry{"a", "3"}, entry{"b", "2"}))
	}},
	{"deleting an absent key is no error", func(s state.Store) error {
		var b state.Batch
		b.Delete([]byte("never"))
		return errors.Join(commit(s, &b), expectAbsent(s, "never"), expectScan(s, nil, nil))
	}},
	{"a delete has no value even where one is given", func(s state.Store) error {
		b := state.Batch{Ops: []state.Op{{Key: []byte("a"), Value: []byte("stray"), Delete: true}}}
		return errors.Join(commit(s, &b), expectAbsent(s, "a"))
	}},
	{"an empty key is refused", func(s state.Store) error {
		if put(s, entry{"a", "1"}, entry{"", "2"}) == nil {
			return errors.New("commit took an empty key")
		}
		return nil
	}},
	{"a reset batch commits only what came after", func(s state.Store) error {
		var b state.Batch
		b.Set([]byte("a"), []byte("1"))
		err := commit(s, &b)
		b.Reset()
		b.Set([]byte("b"), []byte("2"))
		var undo state.Batch
		undo.Delete([]byte("a"))
		return errors.Join(err, commit(s, &undo), commit(s, &b), expectScan(s, nil, nil, entry{"b", "2"}))
	}},
}

// copyChecks hold both sides to their ownership: what the caller gave and got
// is the caller's.
var copyChecks = []check{
	{"the store keeps no reference to a batch", func(s state.Store) error {
		key, value := []byte("key"), []byte("value")
		var b state.Batch
		b.Set(key, value)
		err := commit(s, &b)
		scribble(key)
		scribble(value)
		return errors.Join(err, expectScan(s, nil, nil, entry{"key", "value"}), expectValue(s, "key", "value"))
	}},
	{"a got value is the caller's", func(s state.Store) error {
		if err := put(s, entry{"key", "value"}); err != nil {
			return err
		}
		got, err := s.Get([]byte("key"))
		if err != nil {
			return err
		}
		scribble(got)
		kept, err := s.Get([]byte("key"))
		return errors.Join(err, put(s, entry{"key", "other"}), expectEqual("value got before it was replaced", string(kept), "value"))
	}},
	{"a scan's bounds are the caller's", func(s state.Store) error {
		if err := put(s, entry{"a", "1"}, entry{"b", "2"}, entry{"c", "3"}); err != nil {
			return err
		}
		from, to := []byte("a"), []byte("c")
		seen := ""
		err := s.Scan(from, to, func(key, _ []byte) bool { seen += string(key); return true })
		scribble(from)
		scribble(to)
		return errors.Join(err, expectEqual("keys", seen, "ab"), expectScan(s, nil, nil, entry{"a", "1"}, entry{"b", "2"}, entry{"c", "3"}))
	}},
}

func commit(s state.Store, b *state.Batch) error {
	if err := s.Commit(b); err != nil {
		return fmt.Errorf("commit of %d writes: %w", len(b.Ops), err)
	}
	return nil
}

func expectEqual(what, got, want string) error {
	if got != want {
		return fmt.Errorf("%s = %q, want %q", what, abbreviated(got), abbreviated(want))
	}
	return nil
}

// scribble overwrites b, as an owner may.
func scribble(b []byte) {
	for i := range b {
		b[i] = '#'
	}
}
