// Package storetest is the conformance suite of state.Store: what every store
// promises, said as tests, so that memory and disk cannot drift apart.
//
// It owns no store and knows no implementation. Every case is a function that
// returns an error, so that the suite itself is tested against broken stores.
// Start at Run; a store that survives Close is tested by RunDurable.
package storetest
