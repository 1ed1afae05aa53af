// Package natsbus is a processor's end of NATS: the embedded server, what a
// bus must hold (streams, buckets, mapping), reading partitions in order, the
// decision log with its fence, dead letters, and answers.
//
// It deals in bytes, subjects, headers and sequences; it does not know what an
// event says and decides nothing. What it finds on the bus that breaks a
// promise it reports and never repairs.
//
// Start at Bus; Provision says what a bus consists of.
package natsbus
