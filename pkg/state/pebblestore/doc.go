// Package pebblestore keeps a state.Store on disk, in Pebble.
//
// It owns one directory: its lock, its format marker and what happens when the
// disk fails. What is read after a crash is a prefix of the committed batches:
// each whole or absent, and none missing before one that is there. How long a
// tail may be lost is the sync interval; the stream position travels in the
// same batches, so a lost tail is read again from the stream.
//
// Where files are damaged, reading says so (see sealFS) or gives a shorter
// prefix.
//
// It must not know what the bytes mean, and never goes on after a write that
// the disk refused: it ends the process (see Options.OnFatal, guardFS). Start
// at Open, then Store.
package pebblestore
