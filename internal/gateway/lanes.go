package gateway

import (
	"context"
	"sync"
)

// lanes lets one at a time through for each run, so that what one request
// publishes is not torn apart by another.
type lanes struct {
	mu  sync.Mutex
	all map[string]*lane
}

type lane struct {
	turn  chan struct{} // holds a token while somebody is in
	users int
}

// enter waits for its turn, or for the end of ctx.
func (l *lanes) enter(ctx context.Context, key string) (leave func(), err error) {
	l.mu.Lock()
	if l.all == nil {
		l.all = map[string]*lane{}
	}
	x := l.all[key]
	if x == nil {
		x = &lane{turn: make(chan struct{}, 1)}
		l.all[key] = x
	}
	x.users++
	l.mu.Unlock()
	select {
	case x.turn <- struct{}{}:
		return func() { <-x.turn; l.drop(key, x) }, nil
	case <-ctx.Done():
		l.drop(key, x)
		return nil, ctx.Err()
	}
}

func (l *lanes) drop(key string, x *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if x.users--; x.users == 0 {
		delete(l.all, key)
	}
}
