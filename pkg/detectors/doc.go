// Package detectors owns what goes wrong: one file a detector, its parameters
// are the exported fields of its struct, and the registry is a list.
//
// A detector is a pure function of the run's window with the event already
// applied. It keeps nothing of its own: what it needs to remember belongs into
// package state. A new one is a file here, a line in the registry and a trace
// in testdata. Start at Detector, then Registry.
package detectors
