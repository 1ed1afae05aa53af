package pebblestore

import (
	"errors"
	"testing"
	"testing/synctest"
)

func TestGate(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	for _, c := range []struct {
		name        string
		before      func(g *gate)
		enter, last error
		closing     error
	}{
		{"open", func(*gate) {}, nil, nil, nil},
		{"closed", func(g *gate) { _ = g.close() }, errClosed, nil, errClosed},
		{"failed", func(g *gate) { g.fail(first) }, first, first, nil},
		{"failed twice", func(g *gate) { g.fail(first); g.fail(second) }, first, first, nil},
		{"killed", func(g *gate) { g.kill(first) }, first, first, nil},
		{"failed and killed", func(g *gate) { g.fail(first); g.kill(second) }, first, first, nil},
		{"closed and failed", func(g *gate) { _ = g.close(); g.fail(first) }, first, first, errClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGate()
			c.before(g)
			err := g.enter()
			if err == nil {
				g.leave()
			}
			if !errors.Is(err, c.enter) || !errors.Is(g.err(), c.last) {
				t.Errorf("enter = %v and err = %v, want %v and %v", err, g.err(), c.enter, c.last)
			}
			if err := g.close(); !errors.Is(err, c.closing) {
				t.Errorf("close = %v, want %v", err, c.closing)
			}
		})
	}
}

func TestGateClosesBehindTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		for range 2 {
			if err := g.enter(); err != nil {
				t.Fatal(err)
			}
		}
		closed := make(chan error, 1)
		go func() { closed <- g.close() }()
		for left := range 2 {
			synctest.Wait()
			select {
			case err := <-closed:
				t.Fatalf("close = %v after %d of 2 calls have left", err, left)
			default:
			}
			if err := g.enter(); !errors.Is(err, errClosed) {
				t.Errorf("enter while closing = %v, want %v", err, errClosed)
			}
			g.leave()
		}
		if err := <-closed; err != nil {
			t.Errorf("close = %v", err)
		}
	})
}

// What is inside a killed gate may never leave.
func TestGateDoesNotWaitForTheDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		if err := g.enter(); err != nil {
			t.Fatal(err)
		}
		closed := make(chan error, 1)
		go func() { closed <- g.close() }()
		synctest.Wait()
		if g.killed() {
			t.Error("a closing gate is killed")
		}
		g.kill(errors.New("dead"))
		if err := <-closed; err != nil || !g.killed() {
			t.Errorf("close = %v, killed = %t", err, g.killed())
		}
	})
}

func TestFlusherStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := make(chan struct{})
		calls := 0
		f := startFlusher(defaultInterval, func() error { calls++; return errors.New("fault") })
		<-f.done // it ends by itself after an error
		f.stop(dead)
		f.stop(dead)
		if calls != 1 {
			t.Errorf("sync was called %d times after its error, want 1", calls)
		}
		release := make(chan struct{})
		stuck := startFlusher(defaultInterval, func() error { <-release; return nil })
		go func() {
			synctest.Wait()
			close(dead)
		}()
		stuck.stop(dead) // does not wait for a sync that never returns
		close(release)
		<-stuck.done
	})
}
