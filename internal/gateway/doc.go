// Package gateway is the HTTP side of a bus, for workers and operators who do
// not speak NATS: events, checks before dispatch, controls by long poll, runs
// and halts.
//
// It decides nothing and keeps no results: what it takes is stored on the bus
// before it says so, and what it hands out was signed by a processor. Its
// clients trust TLS and their token where workers on the bus trust signatures;
// the gateway checks those for them. Start at New and Gateway.routes.
package gateway
