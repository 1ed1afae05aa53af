package storetest

import (
	"errors"
	"fmt"

	"github.com/loopwatch/loopwatch/pkg/state"
)

var closeChecks = []check{
	{"a closed store answers with errors", func(s state.Store) error {
		if err := errors.Join(put(s, entry{"a", "1"}), s.Close()); err != nil {
			return err
		}
		_, get := s.Get([]byte("a"))
		scan := s.Scan(nil, nil, func(_, _ []byte) bool { return true })
		for _, call := range []struct {
			name string
			err  error
		}{{"get", get}, {"scan", scan}, {"commit", s.Commit(&state.Batch{})}, {"close", s.Close()}} {
			if call.err == nil {
				return fmt.Errorf("%s on a closed store gave no error", call.name)
			}
		}
		return nil
	}},
}

// durableCheck is a promise that spans several lives of one store. Open
// begins the next life; the check closes every store it opens.
type durableCheck struct {
	name string
	run  func(open func() state.Store) error
}

var durableChecks = []durableCheck{
	{"a store opened and closed is empty", func(open func() state.Store) error {
		return errors.Join(open().Close(), life(open, func(s state.Store) error { return expectScan(s, nil, nil) }))
	}},
	{"what was committed is there after a close", func(open func() state.Store) error {
		var drop state.Batch
		drop.Delete([]byte("b"))
		return errors.Join(
			life(open, func(s state.Store) error {
				return errors.Join(put(s, entry{"a", "1"}, entry{"b", "2"}, entry{"c", ""}), commit(s, &drop))
			}),
			life(open, func(s state.Store) error {
				return errors.Join(expectScan(s, nil, nil, entry{"a", "1"}, entry{"c", ""}), put(s, entry{"b", "3"}))
			}),
			life(open, func(s state.Store) error {
				return expectScan(s, nil, nil, entry{"a", "1"}, entry{"b", "3"}, entry{"c", ""})
			}))
	}},
	{"ten thousand keys survive", func(open func() state.Store) error {
		var before []entry
		return errors.Join(
			life(open, func(s state.Store) error {
				err := tenThousandKeys(s)
				return errors.Join(err, s.Scan(nil, nil, func(key, value []byte) bool {
					before = append(before, entry{string(key), string(value)})
					return true
				}))
			}),
			life(open, func(s state.Store) error { return expectScan(s, nil, nil, before...) }))
	}},
	{"twenty lives add up", func(open func() state.Store) error {
		var want []entry
		for n := range 20 {
			want = append(want, entry{fmt.Sprintf("life-%02d", n), fmt.Sprint(n)})
			err := life(open, func(s state.Store) error {
				return errors.Join(expectScan(s, nil, nil, want[:n]...), put(s, want[n]))
			})
			if err != nil {
				return err
			}
		}
		return nil
	}},
}

// life opens the store, lets body work on it and closes it.
func life(open func() state.Store, body func(s state.Store) error) error {
	s := open()
	err := body(s)
	if closing := s.Close(); closing != nil {
		err = errors.Join(err, fmt.Errorf("close: %w", closing))
	}
	return err
}
