package state

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/loopwatch/loopwatch/internal/features"
)

// coder writes or reads a record, depending on reading: one description of a
// type serves both ways, so that they cannot drift. Every method takes the
// address of a field, writes it or sets it. After the first error reading goes
// on with zeros; loops stop.
type coder struct {
	buf     []byte // what was written, or all there is to read
	pos     int    // next byte to read
	reading bool
	version byte   // of the record
	section string // part of the record under way, for errors
	err     error  // first thing that was wrong

	hashes dictionary[uint64]
	refs   dictionary[Ref]
	seq    uint64 // stream sequence of the ref spelled out last
}

// write makes the coder ready to append a record of that version to b.
func (c *coder) write(b []byte, version byte) { c.reset(b, 0, version, false) }

// read makes the coder ready to read the body of a record of that version.
func (c *coder) read(b []byte, version byte) { c.reset(b, headBytes, version, true) }

func (c *coder) reset(buf []byte, pos int, version byte, reading bool) {
	c.buf, c.pos, c.version, c.reading = buf, pos, version, reading
	c.section, c.err, c.seq = "head", nil, 0
	c.hashes.reset()
	c.refs.reset()
}

// since reports whether the record has what came with version v.
func (c *coder) since(v byte) bool { return c.version >= v } //nolint:unparam // 2 is the newest so far

// in names the part of the record that follows.
func (c *coder) in(section string) { c.section = section }

// fail notes the first thing that is wrong, and where.
func (c *coder) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s, byte %d of %d: %s", c.section, c.pos, len(c.buf), fmt.Sprintf(format, args...))
	}
}

// left returns how many bytes are still to be read.
func (c *coder) left() int { return len(c.buf) - c.pos }

// next returns the next n bytes of the record, nil and an error where it ends
// before.
func (c *coder) next(n int) []byte {
	if c.err != nil {
		return nil
	}
	if n > c.left() {
		c.fail("the record ends %d bytes early", n-c.left())
		return nil
	}
	c.pos += n
	return c.buf[c.pos-n : c.pos]
}

// uvarint codes a number that is small most of the time.
func (c *coder) uvarint(x *uint64) {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, *x)
		return
	}
	*x = 0
	if c.err != nil {
		return
	}
	v, n := binary.Uvarint(c.buf[c.pos:])
	if n <= 0 {
		c.fail("the number ends early or exceeds 64 bits")
		return
	}
	*x = v
	c.pos += n
}

func (c *coder) u64(x *uint64) { c.uvarint(x) }

func (c *coder) u32(x *uint32) {
	v := uint64(*x)
	c.uvarint(&v)
	if v > math.MaxUint32 {
		c.fail("%d exceeds 32 bits", v)
		v = 0
	}
	*x = uint32(v)
}

// i64 codes a number of either sign, near zero most of the time.
func (c *coder) i64(x *int64) {
	v := uint64(*x<<1) ^ uint64(*x>>63)
	c.uvarint(&v)
	*x = int64(v>>1) ^ -int64(v&1)
}

func (c *coder) int(x *int) {
	v := int64(*x)
	c.i64(&v)
	if int64(int(v)) != v {
		c.fail("%d exceeds this machine's integers", v)
		v = 0
	}
	*x = int(v)
}

// float codes a number that is zero or has few digits most of the time.
func (c *coder) float(x *float64) {
	v := bits.ReverseBytes64(math.Float64bits(*x))
	c.uvarint(&v)
	*x = math.Float64frombits(bits.ReverseBytes64(v))
}

// fixed codes 8 bytes that have no small values.
func (c *coder) fixed(x *uint64) {
	if !c.reading {
		c.buf = binary.LittleEndian.AppendUint64(c.buf, *x)
		return
	}
	*x = 0
	if b := c.next(8); b != nil {
		*x = binary.LittleEndian.Uint64(b)
	}
}

// flags codes up to seven bits as one byte.
func (c *coder) flags(flags ...*bool) {
	var v uint64
	for i, f := range flags {
		if *f {
			v |= 1 << i
		}
	}
	c.uvarint(&v)
	if v >= 1<<len(flags) {
		c.fail("flags %b, of which %d are known", v, len(flags))
	}
	for i, f := range flags {
		*f = v>>i&1 != 0
	}
}

// codeEnum codes a small enumeration whose greatest value is last.
func codeEnum[T ~uint8](c *coder, x *T, last T) {
	v := uint64(*x)
	c.uvarint(&v)
	if v > uint64(last) {
		c.fail("value %d, of which %d is the last", v, last)
		v = 0
	}
	*x = T(v)
}

func codeString[T ~string](c *coder, x *T) {
	n := uint64(len(*x))
	c.uvarint(&n)
	if !c.reading {
		c.buf = append(c.buf, *x...)
		return
	}
	*x = ""
	if n > uint64(c.left()) {
		c.fail("a text of %d bytes where %d are left", n, c.left())
		return
	}
	*x = T(c.next(int(n)))
}

// codeBytes codes what codeString would, none and empty ones alike.
func codeBytes(c *coder, x *[]byte) {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, uint64(len(*x)))
		c.buf = append(c.buf, *x...)
		return
	}
	var s string
	codeString(c, &s)
	if *x = nil; s != "" {
		*x = []byte(s)
	}
}

// hash codes a hash: its 8 bytes once, then its place among those before.
func (c *coder) hash(x *features.Hash) {
	v := uint64(*x)
	c.word(&v)
	*x = features.Hash(v)
}

func codeHash(x *features.Hash, c *coder) { c.hash(x) }
