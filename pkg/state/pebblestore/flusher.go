package pebblestore

import (
	"sync"
	"time"
)

// flusher calls sync at an interval until it is stopped. It stops by itself
// after an error, which the store then gives to everybody.
type flusher struct {
	quit chan struct{}
	done chan struct{}
	once sync.Once
}

// startFlusher begins at once; an interval below 0 starts nothing.
func startFlusher(interval time.Duration, sync func() error) *flusher {
	f := &flusher{quit: make(chan struct{}), done: make(chan struct{})}
	if interval < 0 {
		close(f.done)
		return f
	}
	go f.run(interval, sync)
	return f
}

func (f *flusher) run(interval time.Duration, sync func() error) {
	defer close(f.done)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-f.quit:
			return
		case <-ticker.C:
			if err := sync(); err != nil {
				return
			}
		}
	}
}

// stop returns when sync is not running and will not run again, or when dead
// is closed: then it may be running for ever.
func (f *flusher) stop(dead <-chan struct{}) {
	f.once.Do(func() { close(f.quit) })
	select {
	case <-f.done:
	case <-dead:
	}
}
