// Package report sums a fleet up: which tools cause repetition, whether the
// interventions ended it, what that saved, how often the guard fired, and what
// blocks the runs that gave up properly.
//
// It is a fold over events and decisions in the order of their streams, with
// bounded memory for a run and for what it tells apart; it reads nothing
// itself and knows no bus. docs/reports.md defines every figure. Start at
// Collector.
package report
