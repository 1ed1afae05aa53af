// Package processor drives the engine over a live bus: it fetches events,
// applies them in stream order, logs what was decided, answers checks and
// commits the state together with the position it stands at.
//
// It decides nothing. Its fates of an error are three:
//
//	an event cannot be read or does not belong here   → dead letter, go on
//	something on the side fails (an answer, a re-send) → count it, go on
//	the store, the log or the bus contradicts us       → stop the process; the
//	next start goes on from the last commit and finds what was logged
//
// Start at Processor.turn: the straight line.
package processor
