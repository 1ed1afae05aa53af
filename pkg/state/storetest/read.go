package storetest

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// errNotCalled stands until a scan has called its function.
var errNotCalled = errors.New("the scan did not call its function")

// entry is a key and its value; entries are listed in key order.
type entry struct{ key, value string }

func (e entry) String() string { return fmt.Sprintf("%q=%q", e.key, abbreviated(e.value)) }

var readChecks = []check{
	{"an absent key is nil", func(s state.Store) error {
		return expectAbsent(s, "nothing")
	}},
	{"a key that is a prefix of another is absent", func(s state.Store) error {
		return errors.Join(put(s, entry{"abc", "1"}), expectAbsent(s, "ab"), expectAbsent(s, "abcd"))
	}},
	{"an empty value is present", func(s state.Store) error {
		return errors.Join(put(s, entry{"k", ""}), expectValue(s, "k", ""), expectScan(s, nil, nil, entry{"k", ""}))
	}},
	{"an empty key is absent", func(s state.Store) error {
		return errors.Join(put(s, entry{"a", "1"}), expectAbsent(s, ""))
	}},
	{"a scan of an empty store calls nothing", func(s state.Store) error {
		return expectScan(s, nil, nil)
	}},
	{"a scan is ordered bytewise", func(s state.Store) error {
		return errors.Join(
			put(s, entry{"b", "4"}, entry{"\xff", "6"}, entry{"a\x00", "2"}, entry{"a", "1"}, entry{"\x00", "0"}, entry{"aa", "3"}, entry{"b\xff", "5"}),
			expectScan(s, nil, nil, entry{"\x00", "0"}, entry{"a", "1"}, entry{"a\x00", "2"}, entry{"aa", "3"}, entry{"b", "4"}, entry{"b\xff", "5"}, entry{"\xff", "6"}))
	}},
	{"a scan holds from and not to", func(s state.Store) error {
		abc := []entry{{"a", "1"}, {"b", "2"}, {"c", "3"}}
		return errors.Join(
			put(s, abc...),
			expectScan(s, []byte("a"), []byte("c"), abc[:2]...),
			expectScan(s, []byte("a\x00"), []byte("c\x00"), abc[1:]...),
			expectScan(s, []byte("b"), nil, abc[1:]...),
			expectScan(s, nil, []byte("b"), abc[:1]...),
			expectScan(s, []byte{}, []byte("zz"), abc...))
	}},
	{"a scan without room is empty", func(s state.Store) error {
		return errors.Join(
			put(s, entry{"\x00", "0"}, entry{"a", "1"}, entry{"b", "2"}),
			expectScan(s, []byte("b"), []byte("b")),
			expectScan(s, []byte("b"), []byte("a")),
			expectScan(s, []byte("c"), nil),
			expectScan(s, nil, []byte{}))
	}},
	{"a scan stops where its function says so", stopsEarly},
	{"a scan's function may read and commit, and the scan does not see it", nestedCalls},
}

func stopsEarly(s state.Store) error {
	if err := put(s, entry{"a", "1"}, entry{"b", "2"}, entry{"c", "3"}); err != nil {
		return err
	}
	var seen []string
	err := s.Scan(nil, nil, func(key, _ []byte) bool {
		seen = append(seen, string(key))
		return len(seen) < 2
	})
	if err != nil {
		return fmt.Errorf("scan that stops early: %w", err)
	}
	if len(seen) != 2 || seen[1] != "b" {
		return fmt.Errorf("scan that stops at its second key saw %q", seen)
	}
	return nil
}

func nestedCalls(s state.Store) error {
	if err := put(s, entry{"a", "1"}, entry{"c", "3"}); err != nil {
		return err
	}
	inner, seen := errNotCalled, ""
	err := s.Scan(nil, nil, func(key, value []byte) bool {
		seen += string(key) + string(value)
		if string(key) == "a" {
			inner = errors.Join(put(s, entry{"b", "new"}, entry{"c", "new"}), expectValue(s, "b", "new"))
		}
		return true
	})
	if err := errors.Join(err, inner); err != nil {
		return fmt.Errorf("scan with calls inside: %w", err)
	}
	if seen != "a1c3" {
		return fmt.Errorf("scan saw %q, want a1c3: a commit within it leaked in", seen)
	}
	return expectScan(s, nil, nil, entry{"a", "1"}, entry{"b", "new"}, entry{"c", "new"})
}

// put commits the entries as one batch.
func put(s state.Store, entries ...entry) error {
	var b state.Batch
	for _, e := range entries {
		b.Set([]byte(e.key), []byte(e.value))
	}
	if err := s.Commit(&b); err != nil {
		return fmt.Errorf("commit of %d entries: %w", len(entries), err)
	}
	return nil
}

func expectAbsent(s state.Store, key string) error {
	value, err := s.Get([]byte(key))
	if err != nil {
		return fmt.Errorf("get absent %q: %w", key, err)
	}
	if value != nil {
		return fmt.Errorf("get absent %q: %q, want nil", key, abbreviated(string(value)))
	}
	return nil
}

func expectValue(s state.Store, key, want string) error {
	got, err := s.Get([]byte(key))
	switch {
	case err != nil:
		return fmt.Errorf("get %q: %w", key, err)
	case got == nil:
		return fmt.Errorf("get %q = nil, want %q", key, abbreviated(want))
	case string(got) != want:
		return fmt.Errorf("get %q = %q, want %q", key, abbreviated(string(got)), abbreviated(want))
	}
	return nil
}

// expectScan compares a scan with want, entry by entry.
func expectScan(s state.Store, from, to []byte, want ...entry) error {
	var got []entry
	var last []byte
	disorder := false
	err := s.Scan(from, to, func(key, value []byte) bool {
		disorder = disorder || (len(got) > 0 && bytes.Compare(last, key) >= 0)
		last = append(last[:0], key...)
		got = append(got, entry{string(key), string(value)})
		return true
	})
	if err != nil {
		return fmt.Errorf("scan [%q, %q): %w", from, to, err)
	}
	if disorder {
		return fmt.Errorf("scan [%q, %q) is out of order: %v", from, to, got)
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Errorf("scan [%q, %q) ended after %d of %d keys, next %v", from, to, i, len(want), want[i])
		case i >= len(want):
			return fmt.Errorf("scan [%q, %q) gave more than %d keys: %v", from, to, len(want), got[i])
		case got[i] != want[i]:
			return fmt.Errorf("scan [%q, %q) gave %v in place %d, want %v", from, to, got[i], i, want[i])
		}
	}
	return nil
}

// abbreviated keeps messages readable where values are large.
func abbreviated(value string) string {
	if len(value) <= 40 {
		return value
	}
	return fmt.Sprintf("%s… (%d bytes)", value[:40], len(value))
}
