package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// PolicyKey is the key of the pushed policy in its bucket.
const PolicyKey = "policy"

// PushPolicy makes a policy the fleet's. Pushing what is there already is no
// change.
func PushPolicy(ctx context.Context, js jetstream.JetStream, p *actions.Policy) (changed bool, err error) {
	kv, err := js.KeyValue(ctx, natsbus.PolicyBucket)
	if err != nil {
		return false, fmt.Errorf("open bucket %s: %w", natsbus.PolicyBucket, err)
	}
	have, err := kv.Get(ctx, PolicyKey)
	if err == nil && string(have.Value()) == p.YAML {
		return false, nil
	}
	if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, fmt.Errorf("read the pushed policy: %w", err)
	}
	if _, err := kv.PutString(ctx, PolicyKey, p.YAML); err != nil {
		return false, fmt.Errorf("push policy: %w", err)
	}
	return true, nil
}

// FetchPolicy returns the pushed policy, the default preset where none ever
// was.
func FetchPolicy(ctx context.Context, js jetstream.JetStream) (*actions.Policy, error) {
	kv, err := js.KeyValue(ctx, natsbus.PolicyBucket)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", natsbus.PolicyBucket, err)
	}
	e, err := kv.Get(ctx, PolicyKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return actions.Preset(actions.DefaultPreset)
	}
	if err != nil {
		return nil, fmt.Errorf("read the pushed policy: %w", err)
	}
	return actions.Parse(e.Value())
}

// policies pushes the policy of the options, and then copies every change of
// the fleet's policy into the partitions, where it takes effect at its place
// among their events.
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
	if e, err := kv.Get(ctx, PolicyKey); err == nil {
		a.copyPolicy(ctx, e)
	}
	return part{"policy watch", func(ctx context.Context) error {
		w, err := kv.Watch(ctx, PolicyKey)
		if err != nil {
			return fmt.Errorf("watch the policy: %w", err)
		}
		defer func() { _ = w.Stop() }()
		for {
			select {
			case <-ctx.Done():
				return nil
			case e, open := <-w.Updates():
				if !open {
					return errors.New("the watch of the policy has ended")
				}
				if e != nil && e.Operation() == jetstream.KeyValuePut {
					a.copyPolicy(ctx, e)
				}
			}
		}
	}}, nil
}

// copyPolicy publishes a policy to the partitions that do not run it. One that
// cannot be read is refused here, loudly, and the old one stays.
func (a *App) copyPolicy(ctx context.Context, e jetstream.KeyValueEntry) {
	p, err := actions.Parse(e.Value())
	if err != nil {
		a.opts.Logger.Error("the pushed policy is refused; the one in force stays", "revision", e.Revision(), "error", err)
		return
	}
	for _, s := range a.Processor.Status() {
		if s.Policy == p.Ref() {
			continue
		}
		_, err := a.Processor.Publish(ctx, s.Partition, events.Event{
			ID:   fmt.Sprintf("policy-%d-%d-%s", s.Partition, e.Revision(), p.Digest[:16]),
			Kind: events.PolicyChange, Time: e.Created(),
			Policy: &events.Policy{Name: p.Name, Digest: p.Digest, YAML: p.YAML},
		})
		if err != nil {
			a.opts.Logger.Error("a policy could not be put in force", "partition", s.Partition, "error", err)
		}
	}
}
