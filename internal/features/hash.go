package features

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/dchest/siphash"
)

// Hash is the keyed hash of something folded. Equal things have equal hashes
// under one Key; 0 means absent, and is never the hash of anything.
type Hash uint64

// Key is the secret of a tenant's hashes (SipHash-2-4). No decision depends on
// its value, only on equality of hashes made with the same one.
type Key [16]byte

// Fingerprint tells keys apart without giving them away: 16 hex digits.
func (k Key) Fingerprint() string {
	sum := sha256.Sum256(append([]byte("loopwatch-hash-key-v1"), k[:]...))
	return hex.EncodeToString(sum[:8])
}

// domain keeps hashes of different kinds of things apart even where the bytes agree.
type domain byte

const (
	domainParts domain = iota + 1
	domainJSON
	domainTool
	domainCall
	domainExact
	domainArg
	domainEcho
	domainRestore
	domainPayload
	domainResult
	domainClass
	domainFailing
	domainLine
	domainWord
	domainText
)

// sum hashes one domain's bytes.
func (x *Extractor) sum(d domain, b []byte) Hash {
	return nonzero(siphash.Hash(x.k0^uint64(d)*0x9e3779b97f4a7c15, x.k1, b))
}

func nonzero(h uint64) Hash {
	if h == 0 {
		return 1
	}
	return Hash(h)
}

// Hash returns the hash of the parts in their order; ("ab","c") and ("a","bc")
// differ. Without parts it is the hash of nothing, which is not 0.
func (x *Extractor) Hash(parts ...string) Hash {
	b := x.out[:0]
	for _, p := range parts {
		b = appendLen(b, len(p))
		b = append(b, p...)
	}
	x.out = b
	return x.sum(domainParts, b)
}

// HashJSON returns the hash of a JSON value's meaning: order of keys, white
// space between tokens, escapes and the form of numbers do not matter, nothing
// else is folded. Nil gives 0; bytes that are no JSON are hashed as they stand.
func (x *Extractor) HashJSON(raw []byte) Hash {
	if raw == nil {
		return 0
	}
	x.out = x.canon.appendTo(x.out[:0], raw, nil, false, false)
	return x.sum(domainJSON, x.out)
}

// appendLen appends n in four bytes, so that what follows cannot be confused with what is next to it.
func appendLen(b []byte, n int) []byte {
	return append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}
