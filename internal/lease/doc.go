// Package lease decides which instance owns which partition, and for how long.
//
// Instances and owners are keys of one bucket whose entries expire. Rendezvous
// hashing over the instances that live says who should own a partition; the
// first to create its key does. A Grant says how long that holds by this
// process's own monotonic clock. It is what liveness stands on, never safety: a
// grant that ran out on the way does no harm, since whoever writes to a decision
// log is fenced there.
//
// Start at Keeper, and at Share for the arithmetic.
package lease
