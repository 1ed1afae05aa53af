// Package propgen owns the event sequences that property tests are made of:
// Hostile draws anything that Decode lets through, in any order; Stories draws
// runs as workers tell them, full of loops, which Rename and Sprinkle then turn
// into others that must come out the same; Productive draws a run that works.
//
// It knows events and nothing above them, keeps to what events.Validate
// accepts, and is compiled into tests alone. Start at Stories.
package propgen
