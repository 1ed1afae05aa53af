package pebblestore

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// guardFS ends the process at the first write that the disk refuses, before
// Pebble hears of it. Pebble goes on for a while with commits that need no
// sync, repeats a failed flush without end, and panics in goroutines of its
// own or without its lock where it begins a new log or syncs a directory:
// none of that can be caught, and not all of it ends.
//
// Reads fail to whoever reads, but for the listing of the directory: Pebble
// makes its last one late in opening, and where that fails it frees what its
// goroutines are still using. A file that cannot be removed is removed at the
// next Open.
type guardFS struct {
	vfs.FS
	stop func(error) // never returns
}

// judge returns where the disk did not refuse.
func (g *guardFS) judge(verb, name string, err error) {
	if err != nil {
		g.stop(fmt.Errorf("%s %s: %w", verb, g.PathBase(name), err))
	}
}

// Unwrap is how Pebble finds the file system below.
func (g *guardFS) Unwrap() vfs.FS { return g.FS }

// Create guards the new file.
func (g *guardFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := g.FS.Create(name, category)
	g.judge("create", name, err)
	return &guardedFile{File: f, fs: g, name: name}, nil
}

// ReuseForWrite guards the file under its new name.
func (g *guardFS) ReuseForWrite(from, to string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := g.FS.ReuseForWrite(from, to, category)
	g.judge("reuse a file as", to, err)
	return &guardedFile{File: f, fs: g, name: to}, nil
}

// OpenDir guards the directory: what was created in it counts once it is
// synced.
func (g *guardFS) OpenDir(name string) (vfs.File, error) {
	f, err := g.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &guardedFile{File: f, fs: g, name: name}, nil
}

// Rename is how a file of options becomes the current one.
func (g *guardFS) Rename(from, to string) error {
	g.judge("rename to", to, g.FS.Rename(from, to))
	return nil
}

// List lists the directory, or ends the process.
func (g *guardFS) List(dir string) ([]string, error) {
	names, err := g.FS.List(dir)
	g.judge("list", dir, err)
	return names, nil
}

// guardedFile is a file that is being written, or a directory.
type guardedFile struct {
	vfs.File
	fs   *guardFS
	name string
}

func (f *guardedFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.fs.judge("write", f.name, err)
	return n, nil
}

func (f *guardedFile) Sync() error {
	f.fs.judge("sync", f.name, f.File.Sync())
	return nil
}

func (f *guardedFile) SyncData() error {
	f.fs.judge("sync", f.name, f.File.SyncData())
	return nil
}

func (f *guardedFile) SyncTo(length int64) (bool, error) {
	full, err := f.File.SyncTo(length)
	f.fs.judge("sync", f.name, err)
	return full, nil
}

func (f *guardedFile) Close() error {
	f.fs.judge("close", f.name, f.File.Close())
	return nil
}
