package pebblestore

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// sealFS keeps a seal for each file whose damage Pebble takes for its end.
// One flipped bit in the list of tables, the MANIFEST, takes away a table
// whose log is deleted already; one in a log that is followed by another takes
// away the rest of the log. Either way the store lacks the middle of its
// history while the newest batches are there, and nobody says a word.
//
// A manifest is sealed whenever it is synced, before Pebble deletes what it
// replaces; a log when it is closed, before the next one begins. The log that
// is open when the process ends has no seal: what it loses is the end of the
// history, which the stream still has.
type sealFS struct {
	vfs.FS
	dir   string
	mu    sync.Mutex
	seals map[string]seal // by file
}

// sealed wraps fs for the database in dir and reads the seals there. It
// removes those whose file is gone or that a longer one has replaced.
func sealed(fs vfs.FS, dir string) (*sealFS, error) {
	s := &sealFS{FS: fs, dir: dir, seals: map[string]seal{}}
	names, err := fs.List(dir)
	if err != nil {
		return nil, fmt.Errorf("list the seals: %w", err)
	}
	there := map[string]bool{}
	for _, name := range names {
		there[name] = true
	}
	for _, name := range names {
		found, ok := parseSeal(name)
		if !ok {
			continue
		}
		drop, old := found, s.seals[found.file]
		if there[found.file] && (old.file == "" || old.size < found.size) {
			s.seals[found.file], drop = found, old
		}
		if err := s.unseal(drop); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// verify compares the manifest with its seal, and every log that has one.
func (s *sealFS) verify(manifest string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for file, seal := range s.seals {
		if isLog(file) || file == manifest {
			if err := seal.verify(s.FS, s.dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// Unwrap is how Pebble finds the file system below.
func (s *sealFS) Unwrap() vfs.FS { return s.FS }

// Create watches the file where it is to be sealed.
func (s *sealFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := s.forget(name); err != nil {
		return nil, err
	}
	f, err := s.FS.Create(name, category)
	return s.watch(f, name, err)
}

// ReuseForWrite watches the file under its new name.
func (s *sealFS) ReuseForWrite(from, to string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := errors.Join(s.forget(from), s.forget(to)); err != nil {
		return nil, err
	}
	f, err := s.FS.ReuseForWrite(from, to, category)
	return s.watch(f, to, err)
}

// Remove removes the seal with its file.
func (s *sealFS) Remove(name string) error {
	return errors.Join(s.forget(name), s.FS.Remove(name))
}

func (s *sealFS) watch(f vfs.File, name string, err error) (vfs.File, error) {
	base := s.PathBase(name)
	if err != nil || !isLog(base) && !isManifest(base) {
		return f, err
	}
	return &sealedFile{File: f, fs: s, seal: seal{file: base}}, nil
}

// put makes now the seal of its file, before the one it replaces is removed.
func (s *sealFS) put(now seal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.FS.Create(s.PathJoin(s.dir, now.name()), vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("seal %s: %w", now.file, err)
	}
	if err := errors.Join(f.Close(), syncDir(s.FS, s.dir)); err != nil {
		return fmt.Errorf("seal %s: %w", now.file, err)
	}
	old := s.seals[now.file]
	s.seals[now.file] = now
	if old == now {
		return nil
	}
	return s.unseal(old)
}

// forget removes the seal of the file called name, where it has one.
func (s *sealFS) forget(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.seals[s.PathBase(name)]
	delete(s.seals, old.file)
	return s.unseal(old)
}

// unseal removes the file of a seal; the zero seal has none.
func (s *sealFS) unseal(old seal) error {
	if old == (seal{}) {
		return nil
	}
	if err := s.FS.Remove(s.PathJoin(s.dir, old.name())); err != nil {
		return fmt.Errorf("remove the seal of %s: %w", old.file, err)
	}
	return nil
}

func isLog(base string) bool      { return strings.HasSuffix(base, ".log") }
func isManifest(base string) bool { return strings.HasPrefix(base, "MANIFEST-") }

// sealedFile keeps the seal of what is written to it. Logs and manifests are
// written from their beginning to their end.
type sealedFile struct {
	vfs.File
	fs   *sealFS
	seal seal
}

// Write appends.
func (f *sealedFile) Write(p []byte) (int, error) {
	next := f.seal.extend(p) // first: the file may change p while it writes
	n, err := f.File.Write(p)
	if err == nil {
		f.seal = next
	}
	return n, err
}

// Sync returns when the file survives a loss of power, a manifest together
// with its seal.
func (f *sealedFile) Sync() error {
	if err := f.File.Sync(); err != nil || isLog(f.seal.file) {
		return err
	}
	return f.fs.put(f.seal)
}

// Close seals a log, which Pebble has synced.
func (f *sealedFile) Close() error {
	if err := f.File.Close(); err != nil || !isLog(f.seal.file) {
		return err
	}
	return f.fs.put(f.seal)
}
