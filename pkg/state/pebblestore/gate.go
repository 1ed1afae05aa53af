package pebblestore

import "sync"

// gate lets calls in while the store is open and sound, and lets Close wait
// for those that are inside. The first error given to fail or kill is the
// answer to every later call.
type gate struct {
	mu     sync.Mutex
	inside int
	closed bool
	failed error
	dead   chan struct{} // closed by kill: calls inside may never leave
	empty  chan struct{} // closed when the last call has left; nil before close
}

func newGate() *gate { return &gate{dead: make(chan struct{})} }

// enter admits a call, which must leave, or says why not.
func (g *gate) enter() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed != nil {
		return g.failed
	}
	if g.closed {
		return errClosed
	}
	g.inside++
	return nil
}

// leave ends a call that was admitted.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if g.inside == 0 && g.empty != nil {
		close(g.empty)
		g.empty = nil
	}
}

// fail makes err the answer to every later call, unless one is set already.
func (g *gate) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed == nil {
		g.failed = err
	}
}

// kill is fail where the calls inside are not waited for. It is called once.
func (g *gate) kill(err error) {
	g.fail(err)
	close(g.dead)
}

// err is what failed, or nil.
func (g *gate) err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failed
}

// close admits nobody any more and waits until those inside have left or the
// gate is killed. It says errClosed to all but the first.
func (g *gate) close() error {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return errClosed
	}
	g.closed = true
	empty := make(chan struct{})
	if g.inside == 0 {
		close(empty)
	} else {
		g.empty = empty
	}
	g.mu.Unlock()
	select {
	case <-empty:
	case <-g.dead:
	}
	return nil
}

// killed says whether the database may still be touched.
func (g *gate) killed() bool {
	select {
	case <-g.dead:
		return true
	default:
		return false
	}
}
