// Package app wires the parts into a running processor and owns its life:
// data directory and keys, the embedded server or a connection, the streams,
// the processor, the policy that is in force, the operators' queries, metrics
// and probes.
//
// It holds no rule of its own. Start at Start.
package app
