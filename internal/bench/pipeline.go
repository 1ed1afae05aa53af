package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/lease"
	"github.com/loopwatch/loopwatch/internal/processor"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
	"github.com/loopwatch/loopwatch/pkg/state/pebblestore"
)

// raw reads every event of the bus with plain consumers, without acks and
// without looking at them: what the bus itself can do.
func (b *bus) raw(ctx context.Context) (Sample, error) {
	m := start(b.pid)
	var wg sync.WaitGroup
	errs := make([]error, partitions)
	for p := range partitions {
		wg.Go(func() { errs[p] = b.drain(ctx, p) })
	}
	wg.Wait()
	return m.stop(b.events), errors.Join(errs...)
}

func (b *bus) drain(ctx context.Context, p int) error {
	if b.last[p] == 0 {
		return nil
	}
	c, err := b.js.CreateConsumer(ctx, events.EventStream(p), jetstream.ConsumerConfig{
		AckPolicy: jetstream.AckNonePolicy, DeliverPolicy: jetstream.DeliverAllPolicy, MemoryStorage: true,
		InactiveThreshold: time.Minute,
	})
	if err != nil {
		return fmt.Errorf("read raw: %w", err)
	}
	it, err := c.Messages(jetstream.PullMaxMessages(5000))
	if err != nil {
		return fmt.Errorf("read raw: %w", err)
	}
	defer it.Stop()
	for range b.last[p] {
		if _, err := it.Next(); err != nil {
			return fmt.Errorf("read raw: %w", err)
		}
	}
	return nil
}

// pipeline reads the same events with a processor over an empty store and
// waits until all are committed.
func (b *bus) pipeline(ctx context.Context, dir string) (s Sample, err error) {
	if err := b.forget(ctx); err != nil {
		return s, err
	}
	dir, err = os.MkdirTemp(dir, "state")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	store, err := pebblestore.Open(filepath.Join(dir, "state"), pebblestore.Options{})
	if err != nil {
		return s, err
	}
	counted := &counting{Store: store}
	m := start(b.pid)
	r, err := b.run(ctx, counted)
	if err != nil {
		return s, errors.Join(err, store.Close())
	}
	err = b.await(ctx, r)
	s = m.stop(b.events)
	s.Bytes = counted.bytes.Load()
	return s, errors.Join(err, r.close(), store.Close())
}

// running is a processor at work.
type running struct {
	*processor.Processor
	stop context.CancelFunc
	done chan error
}

func (b *bus) run(ctx context.Context, store state.Store) (*running, error) {
	policy, err := actions.Preset(actions.DefaultPreset)
	if err != nil {
		return nil, err
	}
	signer, err := actions.GenerateSigner(seeded{})
	if err != nil {
		return nil, err
	}
	p, err := processor.New(ctx, processor.Config{
		Instance: "bench", Version: "bench", Bus: b.nb, Owns: lease.NewAlways(partitions), Store: store, Policy: policy,
		HashKey: features.Key{1}, Signer: signer, Trusted: actions.NewKeyRing(signer.Public()),
		Logger: slog.New(slog.DiscardHandler), Metrics: processor.NewMetrics(prometheus.NewRegistry(), nil, nil), Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	r := &running{Processor: p, stop: stop, done: make(chan error, 1)}
	go func() { r.done <- p.Run(ctx) }()
	return r, nil
}

func (r *running) close() error {
	r.stop()
	err := <-r.done
	r.Close()
	return err
}

// await returns when everything that was on the bus is committed.
func (b *bus) await(ctx context.Context, r *running) error {
	for {
		behind := partitions
		for _, s := range r.Status() {
			if s.Applied >= b.last[s.Partition] {
				behind--
			}
		}
		if behind == 0 {
			return nil
		}
		select {
		case err := <-r.done:
			r.done <- nil
			return fmt.Errorf("the processor ended: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// counting counts what is committed.
type counting struct {
	state.Store
	bytes atomic.Int64
}

// Commit implements state.Store.
func (c *counting) Commit(b *state.Batch) error {
	n := 0
	for i := range b.Ops {
		n += len(b.Ops[i].Key) + len(b.Ops[i].Value)
	}
	c.bytes.Add(int64(n))
	return c.Store.Commit(b)
}

// seeded is no randomness: a key that signs nothing of worth.
type seeded struct{}

func (seeded) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(i)
	}
	return len(b), nil
}
