// Package floors holds the test of the house's floors: imports go down only,
// and below the drivers nothing touches a context, a clock, a goroutine, a
// channel or I/O. A new package gets its floor in the test's list.
package floors
