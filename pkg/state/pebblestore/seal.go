package pebblestore

import (
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// sealPrefix begins the names of the files that are seals. The name says all;
// the file is empty.
const sealPrefix = "loopwatch-seal."

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal says of a file how long its synced part is, in bytes, and its CRC-32C.
type seal struct {
	file string
	size int64
	sum  uint32
}

// name is that of the seal's own file.
func (s seal) name() string { return fmt.Sprintf("%s%s.%d.%08x", sealPrefix, s.file, s.size, s.sum) }

// parseSeal reads a seal from the name of its file; ok is false where the file
// is something else.
func parseSeal(name string) (s seal, ok bool) {
	rest, ok := strings.CutPrefix(name, sealPrefix)
	if !ok {
		return seal{}, false
	}
	parts := strings.Split(rest, ".")
	if len(parts) < 3 {
		return seal{}, false
	}
	last := len(parts) - 1
	size, errSize := strconv.ParseInt(parts[last-1], 10, 64)
	sum, errSum := strconv.ParseUint(parts[last], 16, 32)
	s = seal{strings.Join(parts[:last-1], "."), size, uint32(sum)}
	if errSize != nil || errSum != nil || size < 0 || s.file == "" || s.name() != name {
		return seal{}, false
	}
	return s, true
}

// verify compares the sealed part of the file with the seal. What follows it
// was not synced, or is what a recycled file held before.
func (s seal) verify(fs vfs.FS, dir string) (err error) {
	f, err := fs.Open(fs.PathJoin(dir, s.file))
	if err != nil {
		return fmt.Errorf("compare %s with its seal: %w", s.file, err)
	}
	defer func() {
		if closing := f.Close(); err == nil {
			err = closing
		}
	}()
	sum := crc32.New(castagnoli)
	n, err := io.Copy(sum, io.LimitReader(f, s.size))
	if err != nil {
		return fmt.Errorf("compare %s with its seal: %w", s.file, err)
	}
	if n != s.size || sum.Sum32() != s.sum {
		return fmt.Errorf("%w: of %s %d bytes with checksum %08x were written and %d with %08x are there",
			ErrCorrupt, s.file, s.size, s.sum, n, sum.Sum32())
	}
	return nil
}

// extend returns the seal of the file with p appended.
func (s seal) extend(p []byte) seal {
	s.size += int64(len(p))
	s.sum = crc32.Update(s.sum, castagnoli, p)
	return s
}
