package state

import (
	"crypto/sha256"
	"encoding/hex"
)

// Ref points at one event: its place in the partition's stream and a digest of
// its id. Text and the id itself are read from the stream by Seq when a
// decision quotes them. The zero Ref points at nothing.
type Ref struct {
	Seq uint64
	ID  Digest
}

// IsZero reports whether the Ref points at nothing.
func (r Ref) IsZero() bool { return r == Ref{} }

// Digest is the first half of the SHA-256 of an event id. It does not depend
// on any key, so incident ids made from it are equal on every instance.
type Digest [16]byte

// DigestOf returns the digest of an event id.
func DigestOf(id string) Digest {
	sum := sha256.Sum256([]byte(id))
	return Digest(sum[:16])
}

// String returns the digest in hex.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }
