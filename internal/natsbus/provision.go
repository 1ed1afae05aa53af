package natsbus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

const (
	newPartitions = 16 // of a bus that says nothing else
)

// Config says what a bus holds. Default gives the contract's values.
type Config struct {
	Partitions    int           // P; 0 means what the bus was created with, 16 for a new one
	EventAge      time.Duration // how long events are kept, at least
	EventBytes    int64         // disk for events, all partitions together; 0 means no limit
	LongestExpiry time.Duration // longest life of a control message
	LogAge        time.Duration // how long decisions are kept; 0 means EventAge + LongestExpiry, which is also the least
	LogBytes      int64         // disk for decisions, all partitions together; 0 means no limit
	LetterAge     time.Duration // how long dead letters are kept
	LetterBytes   int64         // disk for dead letters; 0 means no limit
	Replicas      int           // copies of every stream and bucket
}

// Default is the contract's retention: events 72 h, dead letters 7 days; one replica.
func Default() Config {
	return Config{EventAge: 72 * time.Hour, LongestExpiry: 24 * time.Hour, LetterAge: 7 * 24 * time.Hour, Replicas: 1}
}

// Validate names everything that is out of bounds.
func (c Config) Validate() error {
	var errs []error
	bad := func(broken bool, format string, v ...any) {
		if broken {
			errs = append(errs, fmt.Errorf(format, v...))
		}
	}
	bad(c.Partitions < 0 || c.Partitions > events.MaxPartitions, "partitions are %d, must be 1 to %d, or 0 for what the bus has", c.Partitions, events.MaxPartitions)
	bad(c.EventAge < time.Hour, "event age is %v, must be 1h or more", c.EventAge)
	bad(c.LongestExpiry < 0, "longest control expiry is %v, must not be negative", c.LongestExpiry)
	bad(c.LogAge != 0 && c.LogAge < c.EventAge+c.LongestExpiry,
		"log age is %v, must be %v or more (event age and longest control expiry)", c.LogAge, c.EventAge+c.LongestExpiry)
	bad(c.LetterAge < time.Hour, "dead letter age is %v, must be 1h or more", c.LetterAge)
	bad(c.EventBytes < 0 || c.LogBytes < 0 || c.LetterBytes < 0, "a byte limit is negative, must be 0 for none or more")
	bad(c.Replicas < 1 || c.Replicas > 5, "replicas are %d, must be 1 to 5", c.Replicas)
	return errors.Join(errs...)
}

// Provision makes what is missing and verifies what is there, and returns the
// number of partitions. It waits for the connection. It never changes what
// exists: where settings break promises the error is a Faults that names all
// of them. Several may provision at the same time.
func Provision(ctx context.Context, js jetstream.JetStream, cfg Config) (partitions int, err error) {
	if err := cfg.Validate(); err != nil {
		return 0, fmt.Errorf("provision: %w", err)
	}
	if err := Await(ctx, js.Conn()); err != nil {
		return 0, fmt.Errorf("provision: %w", err)
	}
	if cfg.Partitions, err = settlePartitions(ctx, js, cfg); err != nil {
		return 0, fmt.Errorf("provision: %w", err)
	}
	var faults Faults
	for _, want := range cfg.streams() {
		f, err := ensureStream(ctx, js, want)
		if err != nil {
			return 0, fmt.Errorf("provision %s: %w", want.Name, err)
		}
		faults = append(faults, f...)
	}
	for _, want := range cfg.buckets() {
		f, err := ensureBucket(ctx, js, want)
		if err != nil {
			return 0, fmt.Errorf("provision %s: %w", want.Bucket, err)
		}
		faults = append(faults, f...)
	}
	if len(faults) > 0 {
		return 0, faults
	}
	return cfg.Partitions, nil
}

// settlePartitions returns the number of partitions the bus was created with,
// and writes it down where nobody has. Streams without the note, and a note
// that differs from the streams or from what is wanted, are faults.
func settlePartitions(ctx context.Context, js jetstream.JetStream, cfg Config) (int, error) {
	meta, err := openBucket(ctx, js, cfg.bucket(MetaBucket))
	if err != nil {
		return 0, fmt.Errorf("open %s: %w", MetaBucket, err)
	}
	have, err := countEventStreams(ctx, js)
	if err != nil {
		return 0, fmt.Errorf("list streams: %w", err)
	}
	want := cfg.Partitions
	if want == 0 {
		want = max(have, 0)
	}
	if want == 0 {
		want = newPartitions
	}
	_, err = meta.Create(ctx, partitionsKey, []byte(strconv.Itoa(want)))
	if err != nil && !errors.Is(err, jetstream.ErrKeyExists) {
		return 0, fmt.Errorf("write partition count: %w", err)
	}
	noted, err := meta.Get(ctx, partitionsKey)
	if err != nil {
		return 0, fmt.Errorf("read partition count: %w", err)
	}
	n, err := strconv.Atoi(string(noted.Value()))
	switch fault := (Fault{Stream: MetaBucket, Setting: partitionsKey, Is: strconv.Quote(string(noted.Value()))}); {
	case err != nil || n < 1 || n > events.MaxPartitions:
		fault.Must = fmt.Sprintf("a number from 1 to %d", events.MaxPartitions)
		return 0, Faults{fault}
	case cfg.Partitions != 0 && n != cfg.Partitions:
		fault.Must = strconv.Quote(strconv.Itoa(cfg.Partitions)) + " as configured; the count is fixed when a bus is created"
		return 0, Faults{fault}
	case have > n:
		fault.Must = strconv.Quote(strconv.Itoa(have)) + ": that many event streams exist"
		return 0, Faults{fault}
	}
	return n, nil
}

// countEventStreams returns one more than the highest partition that has an event stream.
func countEventStreams(ctx context.Context, js jetstream.JetStream) (int, error) {
	names := js.StreamNames(ctx, jetstream.WithStreamListSubject("lw.evp.>"))
	var found []string
	for name := range names.Name() {
		found = append(found, name)
	}
	if err := names.Err(); err != nil {
		return 0, err
	}
	for n := events.MaxPartitions; n > 0; n-- {
		if slices.Contains(found, events.EventStream(n-1)) {
			return n, nil
		}
	}
	return 0, nil
}
