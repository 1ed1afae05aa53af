package processor

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/loopwatch/loopwatch/internal/lease"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// full is a store that takes no more.
type full struct {
	state.Store
	refused atomic.Bool
}

var errFull = errors.New("no space left on device")

// Commit implements state.Store.
func (f *full) Commit(*state.Batch) error {
	f.refused.Store(true)
	return errFull
}

// A commit that fails ends the processor: what it applied is not the state, and
// nobody is told that it is.
func TestACommitThatFailsEndsTheProcessor(t *testing.T) {
	s := newSite(t)
	s.call(1, "")
	cfg := s.config("full", lease.NewAlways(2))
	store := &full{Store: cfg.Store}
	cfg.Store = store
	it, stop := s.run(cfg)
	s.until("the store refuses", store.refused.Load)
	if err := stop(); !errors.Is(err, errFull) {
		t.Errorf("it ends with %v, want %v", err, errFull)
	}
	if at := applied(it); at != 0 {
		t.Errorf("it says that event %d is committed", at)
	}
}
