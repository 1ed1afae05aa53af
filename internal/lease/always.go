package lease

import (
	"sync"
	"time"
)

// Always owns every partition for as long as the process lives: what proves it
// is the lock on the data directory that the server's streams lie in.
type Always struct {
	changed chan struct{}

	mu     sync.Mutex
	grants []*Grant
}

// NewAlways grants all partitions from 0 on.
func NewAlways(partitions int) *Always {
	a := &Always{changed: make(chan struct{}, 1)}
	for p := range partitions {
		a.grants = append(a.grants, NewGrant(p, time.Time{}))
	}
	a.changed <- struct{}{}
	return a
}

// Grants returns what is granted and was not given back.
func (a *Always) Grants() []*Grant {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []*Grant
	for _, g := range a.grants {
		if g.Valid() {
			out = append(out, g)
		}
	}
	return out
}

// Changed has a token once.
func (a *Always) Changed() <-chan struct{} { return a.changed }

// Release ends a grant; nobody takes the partition.
func (a *Always) Release(g *Grant) {
	a.mu.Lock()
	defer a.mu.Unlock()
	g.End()
}

// Settled is true: there is nobody to wait for.
func (a *Always) Settled() bool { return true }
