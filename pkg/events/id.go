package events

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"io"
	"time"
)

// crockford is the alphabet of ULIDs: digits and capitals that are not
// mistaken for each other, in the order of their bytes.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// NewID returns a new event id of 36 characters: like a ULID it begins with
// the time in milliseconds, so that ids sort by time, but it goes on with all
// of 128 random bits. It reads 16 bytes of random, which has to be a
// cryptographic source in production.
func NewID(now time.Time, random io.Reader) (string, error) {
	var b [22]byte // 48 bits of time, 128 random
	if _, err := io.ReadFull(random, b[6:]); err != nil {
		return "", fmt.Errorf("read random bits for an id: %w", err)
	}
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(b[:6], ms[2:])
	return crockford.EncodeToString(b[:]), nil
}
