package features

import (
	"bytes"
	"hash/crc32"
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Bounds of passages, and how many of them are kept where the rules do not say.
const (
	passageWords    = 8
	maxPassageWords = 600
	defaultThin     = 2
)

// readWords reads text into lower-cased words: all of them, one blank after
// each, into x.words, the hashes of the first 600 outside code fences into
// x.wordHashes, and where they are into x.wordSpans. It collects the distinct
// words in x.few, up to one too many, and returns the number of words.
func (x *Extractor) readWords(text []byte) int {
	x.words, x.wordHashes, x.wordSpans, x.few = x.words[:0], x.wordHashes[:0], x.wordSpans[:0], x.few[:0]
	n, fence, broken := 0, 0, 0
	for i := 0; i < len(text); {
		if i >= fence && text[i] == '`' {
			if fence = fenceEnd(text, i); fence > i {
				i += 3
				continue
			}
		}
		if text[i] < utf8.RuneSelf && wordByte[text[i]] == 0 {
			i++
			continue
		}
		fenced := i < fence
		start := len(x.words)
		i = x.readWord(text, i)
		if len(x.words) == start {
			continue
		}
		n++
		h := x.sum(domainWord, x.words[start:])
		if len(x.few) <= maxFew && !slices.Contains(x.few, h) {
			x.few = append(x.few, h)
		}
		if !fenced && len(x.wordHashes) < maxPassageWords {
			x.wordHashes = append(x.wordHashes, h)
			x.wordSpans = append(x.wordSpans, wordSpan{start, len(x.words), broken})
		} else if fenced {
			broken = len(x.words) + 1
		}
		x.words = append(x.words, ' ')
	}
	return n
}

// fenceEnd returns the position after the closing code fence where text opens
// one at i, and i where it does not or the fence is never closed.
func fenceEnd(text []byte, i int) int {
	if !bytes.HasPrefix(text[i:], []byte("```")) {
		return i
	}
	if n := bytes.Index(text[i+3:], []byte("```")); n >= 0 {
		return i + 3 + n + 3
	}
	return i
}

// readWord appends the word at i in lower case to x.words and returns the
// position after it; where no word begins, it appends nothing and passes one sign.
func (x *Extractor) readWord(text []byte, i int) int {
	first := i
	for i < len(text) {
		for ; i < len(text); i++ {
			b := wordByte[text[i]]
			if b == 0 {
				break
			}
			x.words = append(x.words, b)
		}
		if i == len(text) || text[i] < utf8.RuneSelf {
			return max(i, first+1)
		}
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case ideographic(r): // written without blanks: each sign is a word
			if i == first {
				x.words = append(x.words, text[i:i+n]...)
				i += n
			}
			return i
		case !unicode.IsLetter(r) && (i == first || !unicode.IsMark(r)):
			if i == first {
				i += n
			}
			return i
		}
		x.words = utf8.AppendRune(x.words, unicode.ToLower(r))
		i += n
	}
	return i
}

// wordByte is what a byte of ASCII is in a word, 0 where it is in none.
var wordByte = func() (t [256]byte) {
	for b := range utf8.RuneSelf {
		if isWord(byte(b)) || b == '\'' {
			t[b] = lowerByte(byte(b))
		}
	}
	return t
}()

func ideographic(r rune) bool {
	return r >= 0x2e80 && r <= 0xd7af || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff
}

// passages returns the distinct passages of the words read last: of all runs of
// eight words those whose CRC-32 is divisible by the rules' Thin. Which they are
// does not depend on the key.
func (x *Extractor) passages() []Hash {
	n := len(x.wordHashes) - passageWords + 1
	if n <= 0 {
		return nil
	}
	x.seen.reset(n)
	found := x.room(&x.passageHashes, n/x.rules.Thin+passageWords)
	var roll uint64
	for i, h := range x.wordHashes {
		roll = bits.RotateLeft64(roll, 7) ^ uint64(h)
		if i >= passageWords {
			roll ^= bits.RotateLeft64(uint64(x.wordHashes[i-passageWords]), 7*passageWords)
		}
		if i < passageWords-1 || x.plainSum(x.wordSpans[i-passageWords+1:i+1])%uint32(x.rules.Thin) != 0 {
			continue
		}
		if p := nonzero(mix(roll)); x.seen.add(p) {
			found = append(found, p)
		}
	}
	x.passageHashes = found
	return found
}

// plainSum returns the CRC-32 of words with one blank between them.
func (x *Extractor) plainSum(spans []wordSpan) uint32 {
	first, last := spans[0], spans[len(spans)-1]
	if last.broken <= first.from {
		return crc32.ChecksumIEEE(x.words[first.from:last.to])
	}
	sum, from := uint32(0), first.from
	for i, s := range spans[:len(spans)-1] {
		if next := spans[i+1].from; next != s.to+1 { // code lies between them
			sum = crc32.Update(sum, crc32.IEEETable, x.words[from:s.to+1])
			from = next
		}
	}
	return crc32.Update(sum, crc32.IEEETable, x.words[from:last.to])
}

func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// hashSet is a set of at most maxPassageWords hashes.
type hashSet struct {
	slots [1024]Hash
	mask  Hash
}

// reset empties the set and makes room for n hashes: no more of it is touched
// than that takes.
func (s *hashSet) reset(n int) {
	size := 16
	for size < 2*n && size < len(s.slots) {
		size *= 2
	}
	clear(s.slots[:size])
	s.mask = Hash(size - 1)
}

// add puts h into the set and reports whether it is new there.
func (s *hashSet) add(h Hash) bool {
	for i := h & s.mask; ; i = (i + 1) & s.mask {
		switch s.slots[i] {
		case 0:
			s.slots[i] = h
			return true
		case h:
			return false
		}
	}
}

// room returns an empty list with room for n hashes: of its own, or the one
// given where the Extractor lends them.
func (x *Extractor) room(lent *[]Hash, n int) []Hash {
	if x.Lends && cap(*lent) >= n {
		return (*lent)[:0]
	}
	return make([]Hash, 0, n)
}

// wordSpan is where a word is in Extractor.words, and the position before which
// code lay between words.
type wordSpan struct{ from, to, broken int }
