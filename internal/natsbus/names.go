package natsbus

import "github.com/loopwatch/loopwatch/pkg/events"

// The buckets of the bus. Streams and subjects are named in pkg/events.
const (
	MetaBucket   = "LW_META"   // what the bus was created with
	PolicyBucket = "LW_POLICY" // the policy that was pushed
	HaltsBucket  = "LW_HALTS"  // halts by scope

	partitionsKey = "partitions" // in MetaBucket: the partition count, decimal
)

// Headers that a Msg keeps.
const (
	CheckHeader = "Lw-Check"    // <token>,<deadline RFC 3339>: the event is a question
	IDHeader    = "Nats-Msg-Id" // the event's id, as its publisher said
)

// DeadLetterStream is events.DeadLetterStream.
const DeadLetterStream = events.DeadLetterStream

// EventStream is events.EventStream.
func EventStream(p int) string { return events.EventStream(p) }

// LogStream is events.ControlStream.
func LogStream(p int) string { return events.ControlStream(p) }

// EpochSubject is events.EpochSubject.
func EpochSubject(p int) string { return events.EpochSubject(p) }
