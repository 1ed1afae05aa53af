// Package features owns what an event says once noise is folded away: which
// call it is, what a result tells, what class an error belongs to, which
// passages a text holds. Everything that compares events compares only what
// this package returns.
//
// It is pure: no I/O, no clock, no goroutines, nothing shared that changes.
// What it returns are keyed hashes and small flags, never text.
//
// Start at Extractor, then Call and Result.
package features
