// Package events owns what a worker says: the event, its kinds, decoding and
// validation, the subjects it travels on and the partition it belongs to.
//
// It is the lowest floor: it imports nothing of loopwatch and does no I/O.
// Start at Event, then Decode.
package events
