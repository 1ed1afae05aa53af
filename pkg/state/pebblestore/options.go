package pebblestore

import (
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	defaultCache    = 64 << 20
	defaultMemTable = 32 << 20
	defaultInterval = 200 * time.Millisecond

	// bloomBits a key make one in a hundred look-ups of an absent key read a
	// block in vain.
	bloomBits = 10

	// manifestLimit lets Pebble begin a new list of its files well before its
	// own 128 MiB: Open reads the list once more, for its seal.
	manifestLimit = 1 << 20
)

// Options says how a Store uses the machine; the zero value is the default.
type Options struct {
	// CacheBytes bounds the memory for blocks read from disk. 0 means 64 MiB.
	// Writes wait in at most four memtables of 32 MiB beside it.
	CacheBytes int64
	// SyncInterval is how often committed batches are made to survive a loss
	// of power. 0 means 200 ms; below 0 only Sync and Close do it.
	SyncInterval time.Duration
	// FS is where the directory lives. nil means the disk.
	FS vfs.FS
	// OnFatal is told, once, why the process is about to end: the disk refused
	// a write, and what was promised can no longer be kept. It may log; it
	// must not call the Store. nil writes one line to standard error.
	OnFatal func(err error)
	// Exit ends the process after OnFatal. nil means os.Exit. Where it
	// returns, as in a test, the goroutine that met the fault goes no further
	// and the Store answers every call with that fault.
	Exit func(code int)

	// memTable is the size at which writes go to a table on disk.
	memTable uint64
}

// withDefaults fills in what is zero and refuses what has no meaning.
func (o Options) withDefaults() (Options, error) {
	if o.CacheBytes < 0 {
		return o, fmt.Errorf("open store: a cache of %d bytes: 0 means %d, anything else must be above it", o.CacheBytes, int64(defaultCache))
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = defaultCache
	}
	if o.SyncInterval == 0 {
		o.SyncInterval = defaultInterval
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.memTable == 0 {
		o.memTable = defaultMemTable
	}
	return o, nil
}

// pebble returns the options of the database. Its events end in f where they
// say that the disk refused something.
func (o Options) pebble(f *fatal, lock *pebble.Lock) *pebble.Options {
	p := &pebble.Options{
		FS:                  o.FS,
		Lock:                lock,
		Logger:              f,
		FormatMajorVersion:  pebble.FormatNewest,
		CacheSize:           o.CacheBytes,
		MemTableSize:        o.memTable,
		MaxManifestFileSize: manifestLimit,
		EventListener: &pebble.EventListener{
			// Pebble repeats a failed flush or compaction without end, while
			// commits wait for it in silence.
			BackgroundError: func(err error) { f.stop(fmt.Errorf("flush or compact: %w", err)) },
			// Whoever read the damaged block gets the error; the process need
			// not end for it.
			DataCorruption: func(pebble.DataCorruptionInfo) {},
		},
	}
	// A run's first event asks for a key that is nowhere. The deeper levels
	// take their filter from the first.
	p.Levels[0].FilterPolicy = bloom.FilterPolicy(bloomBits)
	return p
}
