package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/loopwatch/loopwatch/pkg/state/pebblestore"
)

// Restart measures how long a processor takes, from opening its store to being
// ready, when it remembers many live runs.
func Restart(ctx context.Context, c Config, r *Report) (err error) {
	dir, err := os.MkdirTemp(c.Dir, "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b, err := openBus(ctx, dir, c.Command)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	c.Tell("restart: publishing %d runs\n", c.Runs)
	if err := b.fill(ctx, Fleet{Seed: c.Seed, Events: 2 * c.Runs, Active: 1000, Size: 600, Short: true}.Each); err != nil {
		return err
	}
	path := filepath.Join(dir, "state")
	if _, err := b.reopen(ctx, path, true); err != nil {
		return err
	}
	var took []float64
	for n := range c.Rounds {
		m := start(b.pid)
		ready, err := b.reopen(ctx, path, false)
		if err != nil {
			return err
		}
		other := m.stop(0).Other
		c.Tell("restart: round %d of %d: ready in %.2f s, other load %.0f %%\n", n+1, c.Rounds, ready.Seconds(), 100*other)
		if other <= c.Noise {
			took = append(took, ready.Seconds())
		}
	}
	if err := r.used("restart", len(took), c.Rounds); err != nil {
		return err
	}
	r.Figures["restart_ready_s"] = median(took)
	r.Figures["restart_runs"] = float64(c.Runs)
	return nil
}

// reopen runs a processor over the store until it is ready, and where all is set
// until everything on the bus is committed.
func (b *bus) reopen(ctx context.Context, path string, all bool) (took time.Duration, err error) {
	began := time.Now()
	store, err := pebblestore.Open(path, pebblestore.Options{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	p, err := b.run(ctx, store)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	if all {
		return 0, b.await(ctx, p)
	}
	select {
	case <-p.Ready():
	case err := <-p.done:
		p.done <- nil
		return 0, fmt.Errorf("the processor ended: %w", err)
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	return time.Since(began), nil
}
