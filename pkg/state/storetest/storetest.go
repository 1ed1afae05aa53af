package storetest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// check is one promise. It works on a store that is empty and its own, leaves
// it open, and says in its error what was broken.
type check struct {
	name string
	run  func(s state.Store) error
}

// checks lists every promise that needs no reopening, cheapest first.
func checks() []check {
	var all []check
	for _, group := range [][]check{readChecks, batchChecks, copyChecks, sizeChecks, concurrencyChecks, closeChecks} {
		all = append(all, group...)
	}
	return all
}

// Run tests what a Store promises while it is open. Open returns an empty
// store; Run closes what the cases leave open.
func Run(t *testing.T, open func(t *testing.T) state.Store) {
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			// A second Close is an error and harmless: some cases close.
			t.Cleanup(func() { _ = s.Close() })
			if err := c.run(s); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("any history equals the model", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			s := open(t)
			if err := runModel(s, nil, history(r, false)); err != nil {
				r.Fatal(err)
			}
			if err := s.Close(); err != nil {
				r.Fatal(err)
			}
		})
	})
}

// RunDurable tests Run's promises and those of a store that outlives Close.
// Open returns the store called name: empty at the first call with that name,
// and after a Close what was committed before.
func RunDurable(t *testing.T, open func(t *testing.T, name string) state.Store) {
	opened := 0
	fresh := func() string {
		opened++
		return fmt.Sprintf("store-%d", opened)
	}
	Run(t, func(t *testing.T) state.Store { return open(t, fresh()) })
	for _, c := range durableChecks {
		t.Run(c.name, func(t *testing.T) {
			name := fresh()
			if err := c.run(func() state.Store { return open(t, name) }); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("any history with reopenings equals the model", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			name := fresh()
			reopen := func() state.Store { return open(t, name) }
			if err := runModel(reopen(), reopen, history(r, true)); err != nil {
				r.Fatal(err)
			}
		})
	})
}
