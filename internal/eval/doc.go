// Package eval measures a policy: on recorded runs that a reader has labelled,
// and on cases that say what a good supervisor does.
//
// It judges from outside: it sees what a replay decides and nothing else.
// Start at Labels and Cases.
package eval
