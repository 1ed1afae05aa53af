// Package oracle owns a second opinion: what the presets sundry and forty-times
// say of a stored stream, told from their published texts alone. It keeps the
// whole history in slices, counts everything anew at every event and shares no
// code with what it judges but the reading of events.
//
// It is slow on purpose, reads no other policy, knows no time limit of a halt
// by scope, and is compiled into tests alone. Start at Judge.
package oracle
