package lease

import (
	"context"
	"sync/atomic"
	"time"
)

// Grant is the right to process one partition. Once it has ended it never
// begins again; whoever got it gives it back by Release, also then. It may be
// used from any goroutine.
type Grant struct {
	Partition int

	until atomic.Pointer[time.Time] // with a monotonic reading; nil where the grant has no end
	asked atomic.Bool
	ended atomic.Bool
}

// NewGrant grants a partition until then, for ever where until is zero.
func NewGrant(partition int, until time.Time) *Grant {
	g := &Grant{Partition: partition}
	if !until.IsZero() {
		g.extend(until)
	}
	return g
}

// Valid reports whether the grant holds now. It does not ask the bus.
func (g *Grant) Valid() bool {
	u := g.until.Load()
	return !g.ended.Load() && (u == nil || time.Now().Before(*u))
}

// Permanent reports whether the grant holds for the life of the process.
func (g *Grant) Permanent() bool { return g.until.Load() == nil }

// Asked reports whether another instance waits for the partition: the present
// owner finishes what it is at and gives it back.
func (g *Grant) Asked() bool { return g.asked.Load() }

// Bound returns a context that ends no later than the grant does as it stands
// now, not counting renewals to come.
func (g *Grant) Bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if u := g.until.Load(); u != nil {
		return context.WithDeadline(ctx, *u)
	}
	return context.WithCancel(ctx)
}

// extend moves the end of the grant.
func (g *Grant) extend(until time.Time) { g.until.Store(&until) }

// End makes the grant invalid for good. Its owner still gives it back.
func (g *Grant) End() { g.ended.Store(true) }
