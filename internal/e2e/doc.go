// Package e2e holds the tests that run the whole: a real NATS server, a
// processor in a process of its own, workers, kills. It has no code of its own
// beside them.
package e2e
