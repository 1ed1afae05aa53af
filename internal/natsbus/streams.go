package natsbus

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// duplicateWindow is how long a stream knows an event id again; a convenience
// for publishers that retry, not what makes an event count once.
const duplicateWindow = 2 * time.Minute

// streams lists the streams of the bus as they are made.
func (c Config) streams() []jetstream.StreamConfig {
	var list []jetstream.StreamConfig
	logAge := cmp.Or(c.LogAge, c.EventAge+c.LongestExpiry)
	for p := range c.Partitions {
		logs := events.ControlLogFilters(p)
		ev := c.stream(events.EventStream(p), "events", c.EventAge, c.EventBytes/int64(c.Partitions), events.PartitionFilter(p))
		log := c.stream(events.ControlStream(p), "decision log", logAge, c.LogBytes/int64(c.Partitions), logs[0], logs[1])
		log.RePublish = &jetstream.RePublish{
			Source:      events.ControlLogSubject(p, "*", "*", "*"),
			Destination: events.ControlSubject("{{wildcard(1)}}", "{{wildcard(2)}}", "{{wildcard(3)}}"),
		}
		list = append(list, ev, log)
	}
	return append(list, c.stream(events.DeadLetterStream, "dead letters", c.LetterAge, c.LetterBytes, "lw.dlq.>"))
}

// stream is what all streams have in common: what was stored stays until it is
// old, and nobody can make it otherwise. Direct get is off because its answer
// cannot tell a stored message from a status that the message imitates.
func (c Config) stream(name, what string, age time.Duration, bytes int64, subjects ...string) jetstream.StreamConfig {
	if bytes == 0 {
		bytes = -1
	}
	return jetstream.StreamConfig{
		Name: name, Description: "loopwatch " + what, Subjects: subjects,
		Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		MaxAge: age, MaxBytes: bytes, MaxMsgs: -1, MaxMsgsPerSubject: -1, Duplicates: duplicateWindow,
		DenyDelete: true, DenyPurge: true, Replicas: c.Replicas,
	}
}

// ensureStream makes the stream, or says how the one that is there falls short.
func ensureStream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) (Faults, error) {
	s, err := js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = js.CreateStream(ctx, want)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // somebody else was faster
			s, err = js.Stream(ctx, want.Name)
		}
	}
	if err != nil {
		return nil, err
	}
	return streamFaults(s.CachedInfo().Config, want), nil
}

// buckets lists the key-value buckets of the bus as they are made.
func (c Config) buckets() []jetstream.KeyValueConfig {
	return []jetstream.KeyValueConfig{c.bucket(MetaBucket), c.bucket(PolicyBucket), c.bucket(HaltsBucket)}
}

func (c Config) bucket(name string) jetstream.KeyValueConfig {
	return jetstream.KeyValueConfig{Bucket: name, Description: "loopwatch", History: 8, Storage: jetstream.FileStorage, Replicas: c.Replicas}
}

// openBucket opens the bucket, made where it is missing.
func openBucket(ctx context.Context, js jetstream.JetStream, want jetstream.KeyValueConfig) (jetstream.KeyValue, error) {
	kv, err := js.KeyValue(ctx, want.Bucket)
	if !errors.Is(err, jetstream.ErrBucketNotFound) {
		return kv, err
	}
	kv, err = js.CreateKeyValue(ctx, want)
	if errors.Is(err, jetstream.ErrBucketExists) {
		return js.KeyValue(ctx, want.Bucket)
	}
	return kv, err
}

// ensureBucket makes the bucket, or says how the one that is there falls short.
func ensureBucket(ctx context.Context, js jetstream.JetStream, want jetstream.KeyValueConfig) (Faults, error) {
	if _, err := openBucket(ctx, js, want); err != nil {
		return nil, err
	}
	s, err := js.Stream(ctx, "KV_"+want.Bucket)
	if err != nil {
		return nil, err
	}
	return bucketFaults(s.CachedInfo().Config, want), nil
}
