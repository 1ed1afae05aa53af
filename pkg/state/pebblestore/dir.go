package pebblestore

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// ownerOnly is the mode of directories that are created here. A directory
// that exists keeps its mode: it may be a volume whose mode is not ours.
const ownerOnly = 0o700

// makeDir creates dir and its missing parents so that they survive a loss of
// power, and returns the one path by which the directory is known: the lock is
// kept by path within a process.
func makeDir(filesystem vfs.FS, dir string) (string, error) {
	path, onDisk := dir, filesystem == vfs.Default
	if onDisk {
		var err error
		if path, err = filepath.Abs(dir); err != nil {
			return "", err
		}
	}
	created, err := missing(filesystem, path)
	if err != nil {
		return "", err
	}
	if err := filesystem.MkdirAll(path, ownerOnly); err != nil {
		return "", err
	}
	for _, name := range created {
		if err := syncDir(filesystem, filesystem.PathDir(name)); err != nil {
			return "", err
		}
	}
	if onDisk {
		return filepath.EvalSymlinks(path)
	}
	return path, nil
}

// missing lists path and its parents as far as they do not exist.
func missing(filesystem vfs.FS, path string) ([]string, error) {
	var names []string
	for {
		_, err := filesystem.Stat(path)
		if err == nil {
			return names, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		names = append(names, path)
		parent := filesystem.PathDir(path)
		if parent == path {
			return names, nil
		}
		path = parent
	}
}

func syncDir(filesystem vfs.FS, path string) error {
	d, err := filesystem.OpenDir(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// lockDir takes sole ownership of the directory.
func lockDir(filesystem vfs.FS, path string) (*pebble.Lock, error) {
	lock, err := pebble.LockDirectory(path, filesystem)
	if err == nil {
		return lock, nil
	}
	// The first two are the answers of fcntl, the last that of vfs, which has
	// no name for it. EACCES from elsewhere comes with a path: it means that
	// the lock's file may not be written.
	var at *fs.PathError
	held := errors.Is(err, syscall.EAGAIN) ||
		errors.Is(err, syscall.EACCES) && !errors.As(err, &at) ||
		strings.Contains(err.Error(), "lock held by current process")
	if held {
		return nil, fmt.Errorf("%w (%w)", ErrInUse, err)
	}
	return nil, err
}
