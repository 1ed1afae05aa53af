// Package state owns what is remembered of a run and of its task: a bounded
// window, counters, the ledger of what was done about it, and the codec that
// keeps both in a Store.
//
// Memory is part of the meaning: past its bounds the window says Truncated,
// and a detector that would need more stays silent. Everything here is a pure
// function of the events applied; nothing reads a clock, waits or does I/O.
// Start at Run, then Apply; detectors see a run through View.
package state
