package features

import (
	"bytes"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// Bounds of passages.
const (
	passageWords    = 8
	maxPassageWords = 600
	maxPassages     = 150
	keepOneOf       = 4
)

// Bounds of lines.
const (
	minLine  = 12
	maxLines = 64
)

// readWords reads text into lower-cased words: all of them, one blank after
// each, into x.words, and the first 600 outside code fences into x.plain with
// their places in x.places. It sketches the set of words and returns their number.
func (x *Extractor) readWords(text []byte) int {
	x.words, x.plain, x.places = x.words[:0], x.plain[:0], x.places[:0]
	var lanes [len(Sketch{})]uint64
	n, fence := 0, 0
	for i := 0; i < len(text); {
		if i >= fence {
			fence = i
			if text[i] == '`' {
				if fence = fenceEnd(text, i); fence > i && i+3 <= len(text) {
					i += 3
					continue
				}
			}
		}
		fenced := i < fence
		start := len(x.words)
		i = x.readWord(text, i)
		if len(x.words) == start {
			continue
		}
		n++
		h := wordHash(x.words[start:])
		lane := &lanes[h%uint64(len(lanes))]
		if v := h>>8 | 1; *lane == 0 || v < *lane {
			*lane = v
		}
		if !fenced && len(x.places) < maxPassageWords {
			x.places = append(x.places, place{len(x.plain), h})
			x.plain = append(append(x.plain, x.words[start:]...), ' ')
		}
		x.words = append(x.words, ' ')
	}
	for i, v := range lanes {
		if x.sketch[i] = 0; v != 0 {
			x.sketch[i] = uint8(v>>1%255) + 1
		}
	}
	return n
}

// place is where a word begins in x.plain, and its unkeyed hash.
type place struct {
	at   int
	hash uint64
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
		b := text[i]
		if b < utf8.RuneSelf {
			if !isWord(b) && b != '\'' {
				return max(i, first+1)
			}
			x.words = append(x.words, lowerByte(b))
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case ideographic(r): // written without blanks: each sign is a word
			if i == first {
				x.words = append(x.words, text[i:i+n]...)
				i += n
			}
			return i
		case !unicode.IsLetter(r) && !unicode.IsMark(r):
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

func ideographic(r rune) bool {
	return r >= 0x2e80 && r <= 0xd7af || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff
}

// wordHash is FNV-1a with a final mix; it selects and is never stored.
func wordHash(w []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range w {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return mix(h)
}

func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// passages returns the passages of the words read last: of all runs of eight
// words those that one in four selects by their content.
func (x *Extractor) passages() []Hash {
	if len(x.places) < passageWords {
		return nil
	}
	found := make([]Hash, 0, min(maxPassages, len(x.places)/keepOneOf+passageWords))
	var roll uint64
	for i, p := range x.places {
		roll = bits.RotateLeft64(roll, 7) ^ p.hash
		if i >= passageWords {
			roll ^= bits.RotateLeft64(x.places[i-passageWords].hash, 7*passageWords)
		}
		if i < passageWords-1 || mix(roll)%keepOneOf != 0 {
			continue
		}
		end := len(x.plain)
		if i+1 < len(x.places) {
			end = x.places[i+1].at
		}
		found = append(found, x.sum(domainWord, x.plain[x.places[i-passageWords+1].at:end]))
		if len(found) == maxPassages {
			break
		}
	}
	return found
}

// lines returns the hashes of the distinct lines of masked text, without the
// line numbers in front of them.
func (x *Extractor) lines(masked []byte) []Hash {
	var found []Hash
	for len(masked) > 0 && len(found) < maxLines {
		line := firstLine(&masked)
		if len(line) < minLine {
			continue
		}
		h := x.sum(domainLine, withoutNumber(line))
		if !holds(found, h) {
			if found == nil {
				found = make([]Hash, 0, 16)
			}
			found = append(found, h)
		}
	}
	return found
}

func holds(list []Hash, h Hash) bool {
	for _, v := range list {
		if v == h {
			return true
		}
	}
	return false
}

// withoutNumber returns the line without a line number such as "12: " or "12|" in front.
func withoutNumber(line []byte) []byte {
	i := skipDigits(line, 0)
	if i == 0 || i == len(line) || bytes.IndexByte([]byte("\t:-| "), line[i]) < 0 {
		return line
	}
	return bytes.TrimLeft(line[i:], "\t:-| ")
}
