// Package engine joins detectors to policy: Step takes one event of a
// partition and returns what is to be done about it.
//
// It is pure: the same events in the same order give the same state and the
// same decisions, in the live processor, in a replay, in a worker's guard and
// in evaluation. Nothing changes a run's state except an event of its
// partition, and only Step applies events. Start at Engine.Step.
package engine
