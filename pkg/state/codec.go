package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
)

// A record is a version, a mark that tells the kinds of records apart, the
// body and a CRC-32C of all before it. The checksum is the last four bytes in
// every version, so that corruption is told before anything is believed.
//
// A field that comes later is read under coder.since and raises the version of
// its record: older bytes leave it zero. Bytes of a released version are read
// forever; testdata/codec keeps some of each.
type record struct {
	name    string
	mark    byte
	version byte
}

var (
	runRecord  = record{name: "run", mark: 'r', version: 2}
	taskRecord = record{name: "task", mark: 't', version: 1}
	metaRecord = record{name: "meta", mark: 'm', version: 2}
)

// ErrCorrupt tells a record that is lost, and can be rebuilt from the event
// stream, from one that a newer loopwatch wrote: nothing is wrong with that
// one, and this build must not touch it.
var ErrCorrupt = errors.New("the record is corrupt")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const (
	headBytes = 2 // version and mark
	sumBytes  = 4
)

// AppendRun appends the binary form of the run, all but Cur, and returns the
// extended slice. Equal runs give equal bytes.
func AppendRun(b []byte, r *Run) []byte { return appendRecord(b, runRecord, r, (*Run).code) }

// DecodeRun reads what AppendRun wrote, this or an older version of it. The
// run does not alias b. The error says what is wrong and where; it wraps
// ErrCorrupt unless the version is one to come.
func DecodeRun(b []byte) (*Run, error) { return decodeRecord(b, runRecord, (*Run).code) }

// AppendTask appends the binary form of the task.
func AppendTask(b []byte, t *Task) []byte { return appendRecord(b, taskRecord, t, (*Task).code) }

// DecodeTask reads what AppendTask wrote, as DecodeRun does.
func DecodeTask(b []byte) (*Task, error) { return decodeRecord(b, taskRecord, (*Task).code) }

// AppendMeta appends the binary form of a partition's meta.
func AppendMeta(b []byte, m *Meta) []byte { return appendRecord(b, metaRecord, m, (*Meta).code) }

// DecodeMeta reads what AppendMeta wrote, as DecodeRun does.
func DecodeMeta(b []byte) (Meta, error) {
	m, err := decodeRecord(b, metaRecord, (*Meta).code)
	if err != nil {
		return Meta{}, err
	}
	return *m, nil
}

// coders keeps dictionaries from record to record.
var coders = sync.Pool{New: func() any { return new(coder) }}

func appendRecord[T any](b []byte, rec record, x *T, code func(*T, *coder)) []byte {
	c := coders.Get().(*coder)
	defer coders.Put(c)
	c.write(b, rec.version)
	c.buf = append(c.buf, rec.version, rec.mark)
	code(x, c)
	b, c.buf = binary.LittleEndian.AppendUint32(c.buf, crc32.Checksum(c.buf[len(b):], castagnoli)), nil
	return b
}

func decodeRecord[T any](b []byte, rec record, code func(*T, *coder)) (*T, error) {
	if err := rec.check(b); err != nil {
		return nil, fmt.Errorf("decode %s: %w", rec.name, err)
	}
	c := coders.Get().(*coder)
	defer coders.Put(c)
	c.read(b[:len(b)-sumBytes], b[0])
	x := new(T)
	code(x, c)
	if left := len(c.buf) - c.pos; c.err == nil && left > 0 {
		c.fail("%d bytes are left over", left)
	}
	err := c.err
	c.buf, c.err = nil, nil
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w: %w", rec.name, ErrCorrupt, err)
	}
	return x, nil
}

// check reports what makes the record unreadable before its body is read.
func (rec record) check(b []byte) error {
	body := len(b) - sumBytes
	if body < headBytes {
		return fmt.Errorf("%w: %d bytes are too few for one", ErrCorrupt, len(b))
	}
	stored := binary.LittleEndian.Uint32(b[body:])
	switch sum := crc32.Checksum(b[:body], castagnoli); {
	case sum != stored:
		return fmt.Errorf("%w: the checksum of its %d bytes is %08x, not %08x as it says", ErrCorrupt, len(b), sum, stored)
	case b[1] != rec.mark:
		return fmt.Errorf("%w: it is of kind %q, not %q", ErrCorrupt, b[1], rec.mark)
	case b[0] > rec.version:
		return fmt.Errorf("version %d is newer than %d, the newest this build reads: run the release that wrote it, or a later one", b[0], rec.version)
	case b[0] == 0:
		return fmt.Errorf("%w: version 0 never was", ErrCorrupt)
	}
	return nil
}
