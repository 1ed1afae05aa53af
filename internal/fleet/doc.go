// Package fleet is what operators ask and do over NATS: the micro service
// `loopwatch` that every processor offers, and the client of it.
//
// Queries scatter to all processors, since each owns some partitions; an
// answer that lacks a partition says so. An act becomes a signed event on the
// partitions that its scope covers; nothing is changed here. Start at Serve
// and Client.
package fleet
