package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Bucket is the name of the key-value bucket with the leases.
const Bucket = "LW_OWNERS"

// How long a lease may last without being renewed. A short one replaces a dead
// owner sooner and gives up sooner when the bus is slow.
const (
	DefaultTTL = 2500 * time.Millisecond
	LeastTTL   = time.Second
	MostTTL    = time.Minute
)

// openBucket opens the bucket, made where it is missing, and returns how long
// its entries last. All instances of a fleet must count alike, so another
// duration is set only where nobody holds a lease.
func openBucket(ctx context.Context, js jetstream.JetStream, ttl time.Duration, replicas int) (jetstream.KeyValue, time.Duration, error) {
	want := jetstream.KeyValueConfig{
		Bucket: Bucket, Description: "loopwatch owners of partitions", History: 1, TTL: ttl, Replicas: replicas,
		Storage: jetstream.FileStorage,
	}
	if ttl == 0 {
		want.TTL = DefaultTTL
	}
	kv, err := js.KeyValue(ctx, Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		if kv, err = js.CreateKeyValue(ctx, want); errors.Is(err, jetstream.ErrBucketExists) {
			kv, err = js.KeyValue(ctx, Bucket)
		}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("open bucket %s: %w", Bucket, err)
	}
	status, err := kv.Status(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("open bucket %s: %w", Bucket, err)
	}
	have := status.TTL()
	if have == want.TTL || ttl == 0 && have >= LeastTTL && have <= MostTTL {
		return kv, have, nil
	}
	if _, err := kv.Keys(ctx); !errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, 0, errors.Join(fmt.Errorf("open bucket %s: the fleet's leases last %v, not %v: leave --lease-ttl out, or stop all instances first", Bucket, have, want.TTL), err)
	}
	if kv, err = js.UpdateKeyValue(ctx, want); err != nil {
		return nil, 0, fmt.Errorf("set how long leases last: %w", err)
	}
	return kv, want.TTL, nil
}
