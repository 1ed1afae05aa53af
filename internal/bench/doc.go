// Package bench measures the processor against the bus it reads: fleets are
// generated from a seed, or taken from recorded files, and every figure is a
// ratio of two measurements of the same round on the same machine. Absolute
// times travel badly; ratios do.
//
// It drives the real parts, a NATS server in a process of its own and the
// processor over Pebble, and holds no rule of theirs. Start at Pipeline.
package bench
