// Package stats owns the few statistics that eval and the reports share: exact
// bounds of a rate that was seen as k of n, and the straight line through
// points that arrive one by one.
//
// It knows nothing of runs. Start at AtMost and AtLeast.
package stats
