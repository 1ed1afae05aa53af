package pebblestore

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// Open opens the store in dir, or creates it with access for its owner only.
// The store owns the directory until Close or the end of the process; where
// another one does, the error holds ErrInUse. Damage that shows itself already
// here gives ErrCorrupt. A write that the disk refuses ends the process, as it
// does later: see OnFatal.
func Open(dir string, o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	path, err := makeDir(o.FS, dir)
	if err != nil {
		return nil, fmt.Errorf("create data directory %s: %w", dir, hint(err))
	}
	lock, err := lockDir(o.FS, path)
	if err != nil {
		return nil, fmt.Errorf("lock data directory %s: %w", dir, hint(err))
	}
	s, err := openLocked(dir, path, o, lock)
	if err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("open data directory %s: %w", dir, hint(err))
	}
	return s, nil
}

func openLocked(dir, path string, o Options, lock *pebble.Lock) (*Store, error) {
	if err := claimFormat(o.FS, path, Format); err != nil {
		return nil, err
	}
	seals, err := sealed(o.FS, path)
	if err != nil {
		return nil, err
	}
	g := newGate()
	f := newFatal(dir, o, g)
	o.FS = &guardFS{FS: seals, stop: f.stop}
	db, err := openDatabase(path, seals, o.pebble(f, lock))
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, db: db, lock: lock, gate: g, fatal: f}
	s.flush = startFlusher(o.SyncInterval, s.Sync)
	return s, nil
}

// openDatabase opens the database, twice where it is new or of an older
// version of Pebble: the log that is open while a database is raised to
// FormatNewest is still written in the old form, which takes a flipped bit in
// its middle for the end of the log and drops the rest without a word.
func openDatabase(path string, seals *sealFS, o *pebble.Options) (db *pebble.DB, err error) {
	defer func() {
		if p := recover(); p != nil {
			db, err = nil, fromPanic("open the database", p)
		}
		err = missingFile(err)
	}()
	desc, err := pebble.Peek(path, o.FS)
	if err != nil {
		return nil, err
	}
	if err := seals.verify(seals.PathBase(desc.ManifestFilename)); err != nil {
		return nil, err
	}
	db, err = pebble.Open(path, o)
	if err != nil || desc.Exists && desc.FormatMajorVersion == pebble.FormatNewest {
		return db, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return pebble.Open(path, o)
}

// missingFile marks as damage what Pebble's check of its tables against the
// disk says in other words.
func missingFile(err error) error {
	if errors.Is(err, fs.ErrNotExist) || err != nil && strings.Contains(err.Error(), "object size mismatch") {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}
