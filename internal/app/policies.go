package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
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
