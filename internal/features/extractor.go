package features

import "encoding/binary"

// Extractor turns events into features under one set of rules. It owns scratch
// buffers: one Extractor serves one goroutine at a time, and nothing it returns
// aliases them.
type Extractor struct {
	rules  Rules
	k0, k1 uint64

	canon []byte // canonical form of the value at hand
}

// New returns an Extractor for the rules.
func New(r Rules) *Extractor {
	if r.Fold.Narration == nil {
		r.Fold.Narration = narration
	}
	return &Extractor{
		rules: r,
		k0:    binary.LittleEndian.Uint64(r.Key[:8]),
		k1:    binary.LittleEndian.Uint64(r.Key[8:]),
	}
}
