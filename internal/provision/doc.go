// Package provision writes what a fleet's NATS server needs to keep its
// clients apart: a server configuration with accounts, users by nkey and the
// least permissions each role works with, the seeds of those users, and a
// connection context for each of them.
//
// It never overwrites a seed, nor the server file that people edit; what is
// generated from the note is written anew where the note changed. It makes no
// streams: that is natsbus.
//
// Start at Write.
package provision
