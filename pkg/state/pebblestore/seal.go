package pebblestore

import (
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"
)

// The MANIFEST is Pebble's list of its tables. When Pebble reads it, the first
// damaged record counts as its end, without a word: one flipped bit can take
// away a table whose log is deleted already, and the store lacks the middle of
// its history while the newest batches are there. So each time the list is
// synced its length and checksum are put down in the name of a marker file,
// before Pebble goes on to delete what the list replaces, and Open compares.

// sealMarker names the file whose own name carries the seal.
const sealMarker = "loopwatch-seal"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal says of a manifest how long its synced part is and its CRC-32C.
type seal struct {
	manifest string
	size     int64
	sum      uint32
}

func (s seal) String() string { return fmt.Sprintf("%s-%d-%08x", s.manifest, s.size, s.sum) }

func parseSeal(value string) (seal, error) {
	var s seal
	at := strings.LastIndexByte(value, '-')
	at = strings.LastIndexByte(value[:max(at, 0)], '-')
	if at <= 0 {
		return s, fmt.Errorf("read the seal %q: want a file, a length and a checksum", value)
	}
	s.manifest = value[:at]
	if _, err := fmt.Sscanf(value[at:], "-%d-%x", &s.size, &s.sum); err != nil || s.String() != value {
		return s, fmt.Errorf("read the seal %q: want a file, a length and a checksum", value)
	}
	return s, nil
}

// verify compares the manifest called path with value, the seal it was left
// with. A manifest that is newer than the seal is not compared: the process
// ended between writing the two.
func verify(fs vfs.FS, path, value string) error {
	if value == "" || path == "" {
		return nil
	}
	want, err := parseSeal(value)
	if err != nil {
		return err
	}
	if want.manifest != fs.PathBase(path) {
		return nil
	}
	f, err := fs.Open(path)
	if err != nil {
		return fmt.Errorf("compare %s with its seal: %w", want.manifest, err)
	}
	defer f.Close()
	sum := crc32.New(castagnoli)
	n, err := io.Copy(sum, io.LimitReader(f, want.size))
	if err != nil {
		return fmt.Errorf("compare %s with its seal: %w", want.manifest, err)
	}
	got := seal{want.manifest, n, sum.Sum32()}
	if got != want {
		return fmt.Errorf("%w: %s was synced as %s and is read as %s", ErrCorrupt, path, want, got)
	}
	return nil
}

// sealFS is a file system that seals every manifest written through it.
type sealFS struct {
	vfs.FS
	mu     sync.Mutex
	marker *atomicfs.Marker
}

// sealed wraps fs for the database in dir and returns the seal that the
// manifest there was left with; it is empty for a new database.
func sealed(fs vfs.FS, dir string) (*sealFS, string, error) {
	marker, value, err := atomicfs.LocateMarker(fs, dir, sealMarker)
	if err != nil {
		return nil, "", fmt.Errorf("find the seal: %w", err)
	}
	if err := marker.RemoveObsolete(); err != nil {
		_ = marker.Close()
		return nil, "", fmt.Errorf("remove older seals: %w", err)
	}
	return &sealFS{FS: fs, marker: marker}, value, nil
}

// Unwrap is how Pebble finds the file system below.
func (s *sealFS) Unwrap() vfs.FS { return s.FS }

// Create watches the file where it is a manifest.
func (s *sealFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := s.FS.Create(name, category)
	if err != nil || !strings.HasPrefix(s.PathBase(name), "MANIFEST-") {
		return f, err
	}
	return &manifestFile{File: f, fs: s, seal: seal{manifest: s.PathBase(name)}}, nil
}

func (s *sealFS) close() error { return s.marker.Close() }

// manifestFile keeps the seal of what is written to it, from its beginning to
// its end: a manifest is only ever appended to.
type manifestFile struct {
	vfs.File
	fs   *sealFS
	seal seal
}

// Write appends.
func (f *manifestFile) Write(p []byte) (int, error) {
	// The file may change p while it writes.
	sum := crc32.Update(f.seal.sum, castagnoli, p)
	n, err := f.File.Write(p)
	if err == nil {
		f.seal.sum, f.seal.size = sum, f.seal.size+int64(n)
	}
	return n, err
}

// Sync returns when both the file and its seal survive a loss of power.
func (f *manifestFile) Sync() error {
	if err := f.File.Sync(); err != nil {
		return err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return moveMarker(f.fs.marker, f.seal.String())
}
