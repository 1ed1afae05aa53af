package natsbus

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Config says what a bus holds. Default gives the contract's values.
type Config struct {
	Partitions    int           // P; 0 means what the bus was created with, 16 for a new one
	EventAge      time.Duration // how long events are kept
	EventBytes    int64         // disk for events, all partitions together; 0 means no limit
	LongestExpiry time.Duration // longest life of a control message
	LogAge        time.Duration // how long decisions are kept; 0 means EventAge + LongestExpiry, which is also the least
	LogBytes      int64         // disk for decisions, all partitions together; 0 means no limit
	LetterAge     time.Duration // how long dead letters are kept
	LetterBytes   int64         // disk for dead letters; 0 means no limit
	Replicas      int           // copies of every stream and bucket
}

// Default is the contract's retention: events 72 h, dead letters 7 days, one replica.
func Default() Config {
	return Config{EventAge: 72 * time.Hour, LongestExpiry: 24 * time.Hour, LetterAge: 7 * 24 * time.Hour, Replicas: 1}
}

// Provision makes what is missing and verifies what is there, and returns the
// number of partitions. It never changes what exists: where a setting breaks a
// promise the error is a Faults that names all of them.
func Provision(ctx context.Context, js jetstream.JetStream, cfg Config) (partitions int, err error) {
	return 0, errSketch
}

// Fault is one setting of a stream or bucket that breaks a promise.
type Fault struct {
	Stream  string
	Setting string
	Is      string
	Must    string
}

// Faults are all the faults of a bus, as an error of one line each.
type Faults []Fault

func (f Faults) Error() string { return "" }

// CheckMapping asks the server, without storing anything, whether it maps
// lw.ev to the right partition for every partition.
func (b *Bus) CheckMapping(ctx context.Context) error { return errSketch }
