package features

import "bytes"

// Bounds of an echo: bytes and words.
const (
	minEcho      = 3
	maxEcho      = 64
	maxEchoWords = 3
)

// echoes returns hashes of the argument values an error text may repeat: short
// strings of at most three words.
func (x *Extractor) echoes() []Hash {
	found := x.echoHashes[:0]
	for _, m := range x.members {
		if m.raw[0] != '"' || len(m.raw) > maxEcho+2 || len(found) == maxArgs {
			continue
		}
		var ok bool
		if x.arg, _, ok = unquote(x.arg[:0], m.raw, 0); !ok {
			continue
		}
		b := bytesCase(collapse(x.arg, false), 'A', bytes.ToLower)
		if len(b) >= minEcho && bytes.Count(b, []byte(" ")) < maxEchoWords {
			found = append(found, x.sum(domainEcho, b))
		}
	}
	x.echoHashes = found
	return found
}

// echoed returns how many tokens from i on repeat an argument, 0 for none.
func (x *Extractor) echoed(line []byte, i int, echoes []Hash) int {
	if len(echoes) == 0 {
		return 0
	}
	for n := min(maxEchoWords, len(x.tokens)-i); n > 0; n-- {
		x.arg = x.arg[:0]
		for _, t := range x.tokens[i : i+n] {
			x.arg = append(append(x.arg, line[t.from:t.to]...), ' ')
		}
		b := bytesCase(bytes.Trim(x.arg, " ,.:;!?()[]{}"), 'A', bytes.ToLower)
		if len(b) < minEcho || len(b) > maxEcho {
			continue
		}
		h := x.sum(domainEcho, b)
		for _, e := range echoes {
			if e == h {
				return n
			}
		}
	}
	return 0
}
