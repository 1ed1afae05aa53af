package storetest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/loopwatch/loopwatch/pkg/state"
)

const (
	together = 8   // keys that every batch sets to the same number
	rounds   = 300 // batches of the writer
	readers  = 4   // of each kind
)

var concurrencyChecks = []check{
	{"readers beside a writer see whole batches in order", func(s state.Store) error {
		done := make(chan struct{})
		faults := make(chan error, 2*readers+1)
		var group sync.WaitGroup
		for range readers {
			group.Go(func() { faults <- until(done, func(last string) (string, error) { return scanTogether(s, last) }) })
			group.Go(func() { faults <- until(done, func(last string) (string, error) { return getTogether(s, last) }) })
		}
		faults <- writeTogether(s)
		close(done)
		group.Wait()
		close(faults)
		var all error
		for err := range faults {
			all = errors.Join(all, err)
		}
		return all
	}},
}

func writeTogether(s state.Store) error {
	var b state.Batch
	for n := range rounds {
		b.Reset()
		for k := range together {
			b.Set(fmt.Appendf(nil, "k%d", k), fmt.Appendf(nil, "%06d", n))
		}
		// Keys that come and go keep the tree of a store moving.
		b.Set(fmt.Appendf(nil, "j%d", n), []byte("passing"))
		b.Delete(fmt.Appendf(nil, "j%d", n-10))
		if err := commit(s, &b); err != nil {
			return err
		}
	}
	return nil
}

// until repeats read, which gets the number it saw last, and does so once
// more after the writer has finished.
func until(done <-chan struct{}, read func(last string) (string, error)) error {
	last := ""
	for finished := false; !finished; {
		select {
		case <-done:
			finished = true
		default:
		}
		next, err := read(last)
		if err != nil {
			return err
		}
		last = next
	}
	if want := fmt.Sprintf("%06d", rounds-1); last != want {
		return fmt.Errorf("a reader after the last commit saw %s, want %s", last, want)
	}
	return nil
}

// scanTogether demands that one scan sees one batch, and none older than last.
func scanTogether(s state.Store, last string) (string, error) {
	var seen []string
	err := s.Scan([]byte("k"), []byte("l"), func(_, value []byte) bool {
		seen = append(seen, string(value))
		return true
	})
	if err != nil || len(seen) == 0 && last == "" {
		return "", err
	}
	if len(seen) != together {
		return "", fmt.Errorf("a scan saw %d of %d keys of a batch: %v", len(seen), together, seen)
	}
	for _, v := range seen {
		if v != seen[0] {
			return "", fmt.Errorf("a scan saw half a batch: %v", seen)
		}
	}
	if seen[0] < last {
		return "", fmt.Errorf("a scan saw batch %s after batch %s", seen[0], last)
	}
	return seen[0], nil
}

// getTogether reads the keys one by one: each may be newer than the one
// before, none older.
func getTogether(s state.Store, last string) (string, error) {
	for k := range together {
		value, err := s.Get(fmt.Appendf(nil, "k%d", k))
		if err != nil {
			return "", fmt.Errorf("get beside a writer: %w", err)
		}
		if string(value) < last {
			return "", fmt.Errorf("get of k%d gave batch %q after batch %q", k, value, last)
		}
		last = string(value)
	}
	return last, nil
}
