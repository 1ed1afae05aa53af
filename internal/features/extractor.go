package features

import "encoding/binary"

// Extractor turns events into features under one set of rules. It owns scratch
// buffers: one Extractor serves one goroutine at a time, and nothing it returns
// aliases them, but for what it lends.
type Extractor struct {
	// Lends lets the Lines, Passages and Few it returns be good only until the
	// next call, so that they need no memory of their own.
	Lends bool

	rules  Rules
	k0, k1 uint64

	canon   canon
	members []member // arguments of the call at hand, sorted by name
	names   []byte   // their decoded names
	out     []byte   // what is about to be hashed
	exact   []byte
	arg     []byte
	leaf    []byte // one nested value in canonical form
	command []byte // decoded program text of the call at hand
	verb    []byte // command word of a file editing tool
	script  script

	flat          flattener
	text          []byte // what the result or text at hand says
	message       []byte
	masked        []byte
	maskedMessage []byte
	line          []byte // one masked line
	folded        []byte // the same with its quotes folded away
	tokens        []part

	words      []byte     // all words of the text at hand, lower-cased
	wordHashes []Hash     // of those that can be in passages
	wordSpans  []wordSpan // where those are in words
	few        []Hash     // distinct words
	seen       hashSet

	lineHashes, passageHashes, fewHashes []Hash // lent

	argHashes, echoHashes, payloadHashes, touchedHashes []Hash // of the call at hand
}

// New returns an Extractor for the rules.
func New(r Rules) *Extractor {
	if r.Fold.Narration == nil {
		r.Fold.Narration = narration
	}
	if r.Thin < 1 {
		r.Thin = defaultThin
	}
	return &Extractor{
		rules: r,
		k0:    binary.LittleEndian.Uint64(r.Key[:8]),
		k1:    binary.LittleEndian.Uint64(r.Key[8:]),
	}
}
