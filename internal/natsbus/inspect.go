package natsbus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// ErrNotProvisioned says that there is no bus behind the connection.
var ErrNotProvisioned = errors.New("this NATS holds no loopwatch bus: start loopwatch run on it first")

// Inspect returns the number of partitions of a bus that exists; it makes
// nothing.
func Inspect(ctx context.Context, js jetstream.JetStream) (int, error) {
	kv, err := js.KeyValue(ctx, MetaBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return 0, ErrNotProvisioned
	}
	if err != nil {
		return 0, fmt.Errorf("open %s: %w", MetaBucket, err)
	}
	e, err := kv.Get(ctx, partitionsKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return 0, ErrNotProvisioned
	}
	if err != nil {
		return 0, fmt.Errorf("read partition count: %w", err)
	}
	n, err := strconv.Atoi(string(e.Value()))
	if err != nil || n < 1 || n > events.MaxPartitions {
		return 0, fmt.Errorf("read partition count: %q is not from 1 to %d", e.Value(), events.MaxPartitions)
	}
	return n, nil
}

// Faults returns every setting of the bus that breaks a promise; it makes and
// changes nothing. What is missing is a fault.
func (c Config) Faults(ctx context.Context, js jetstream.JetStream) (Faults, error) {
	var faults Faults
	for _, want := range c.streams() {
		s, err := js.Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			faults = append(faults, Fault{Stream: want.Name, Setting: "stream", Is: "missing", Must: "exist"})
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("inspect %s: %w", want.Name, err)
		}
		faults = append(faults, streamFaults(s.CachedInfo().Config, want)...)
	}
	for _, want := range c.buckets() {
		s, err := js.Stream(ctx, "KV_"+want.Bucket)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			faults = append(faults, Fault{Stream: want.Bucket, Setting: "bucket", Is: "missing", Must: "exist"})
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("inspect %s: %w", want.Bucket, err)
		}
		faults = append(faults, bucketFaults(s.CachedInfo().Config, want)...)
	}
	return faults, nil
}

// DeadLetters returns the sequences of partition p that have a dead letter.
func (b *Bus) DeadLetters(ctx context.Context, p int) (map[uint64]bool, error) {
	s, err := b.js.Stream(ctx, events.DeadLetterStream)
	if err != nil {
		return nil, fmt.Errorf("list dead letters of partition %d: %w", p, err)
	}
	prefix := strings.TrimSuffix(events.DeadLetterSubject(p, 0), "0")
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(prefix+"*"))
	if err != nil {
		return nil, fmt.Errorf("list dead letters of partition %d: %w", p, err)
	}
	out := map[uint64]bool{}
	for subject := range info.State.Subjects {
		if seq, err := strconv.ParseUint(strings.TrimPrefix(subject, prefix), 10, 64); err == nil {
			out[seq] = true
		}
	}
	return out, nil
}
