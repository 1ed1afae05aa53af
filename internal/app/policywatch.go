package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/internal/processor"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// pushed is a policy as the bucket holds it.
type pushed struct{ jetstream.KeyValueEntry }

// policies pushes the policy of the options, and then copies every change of
// the fleet's policy into the partitions that are ours, where it takes effect
// at its place among their events.
func (a *App) policies(ctx context.Context) (part, error) {
	if a.opts.Policy != nil {
		if _, err := PushPolicy(ctx, a.js, a.opts.Policy); err != nil {
			return part{}, err
		}
	}
	kv, err := a.js.KeyValue(ctx, natsbus.PolicyBucket)
	if err != nil {
		return part{}, fmt.Errorf("open bucket %s: %w", natsbus.PolicyBucket, err)
	}
	return part{"policy watch", func(ctx context.Context) error {
		w, err := kv.Watch(ctx, PolicyKey)
		if err != nil {
			return fmt.Errorf("watch the policy: %w", err)
		}
		defer func() { _ = w.Stop() }()
		again := time.NewTicker(policyEvery)
		defer again.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-again.C:
				a.restorePolicy(ctx)
			case e, open := <-w.Updates():
				if !open {
					return errors.New("the watch of the policy has ended")
				}
				if e == nil || e.Operation() != jetstream.KeyValuePut {
					continue
				}
				a.policy.Store(&pushed{e})
				for _, s := range a.Processor.Status() {
					_ = a.copyPolicy(ctx, e, s) // logged
				}
			}
		}
	}}, nil
}

// policyEvery is how often the partitions are compared with the bucket.
const policyEvery = 15 * time.Second

// restorePolicy copies the fleet's policy once more into those of our partitions
// that run another, such as one that was put in force earlier and whose event
// somebody has published again. A copy that is still on its way has the same id
// and is not stored twice.
func (a *App) restorePolicy(ctx context.Context) {
	e := a.policy.Load()
	if e == nil {
		return
	}
	if _, err := actions.Parse(e.Value()); err != nil {
		return // said when it came
	}
	ctx, cancel := context.WithTimeout(ctx, policyPatience)
	defer cancel()
	for _, s := range a.Processor.Status() {
		_ = a.copyPolicy(ctx, e.KeyValueEntry, s) // logged
	}
}

// bringPolicy copies the fleet's policy into a partition that was just taken: it
// may have been pushed while nobody owned that. It returns when it is there.
func (a *App) bringPolicy(ctx context.Context, partition int) {
	for {
		err := a.bringOnce(ctx, partition)
		if err == nil || errors.Is(err, processor.ErrNotOwner) {
			return
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return
		}
	}
}

func (a *App) bringOnce(ctx context.Context, partition int) error {
	bound, cancel := context.WithTimeout(ctx, policyPatience)
	defer cancel()
	kv, err := a.js.KeyValue(bound, natsbus.PolicyBucket)
	if err != nil {
		return err
	}
	e, err := kv.Get(bound, PolicyKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	// A replica that lags may answer; the watch may have brought a newer one.
	if w := a.policy.Load(); w != nil && w.Revision() > e.Revision() {
		e = w.KeyValueEntry
	}
	for _, s := range a.Processor.Status() {
		if s.Partition == partition {
			return a.copyPolicy(bound, e, s)
		}
	}
	return processor.ErrNotOwner
}

// policyPatience bounds one attempt to bring a policy.
const policyPatience = 5 * time.Second

// copyPolicy publishes a policy to a partition that does not run it. One that
// cannot be read is refused here, loudly, and the old one stays.
func (a *App) copyPolicy(ctx context.Context, e jetstream.KeyValueEntry, s processor.Status) error {
	p, err := actions.Parse(e.Value())
	if err != nil {
		a.opts.Logger.Error("the pushed policy is refused; the one in force stays", "revision", e.Revision(), "error", err)
		return nil
	}
	if s.Policy == p.Ref() {
		return nil
	}
	_, err = a.Processor.Publish(ctx, s.Partition, events.Event{
		ID:   fmt.Sprintf("policy-%d-%d-%s", s.Partition, e.Revision(), p.Digest[:16]),
		Kind: events.PolicyChange, Time: e.Created(),
		Policy: &events.Policy{Name: p.Name, Digest: p.Digest, YAML: p.YAML},
	})
	if err != nil && !errors.Is(err, processor.ErrNotOwner) {
		a.opts.Logger.Error("a policy could not be put in force", "partition", s.Partition, "error", err)
	}
	return err
}
