package features

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Classes of bytes. Bytes beyond ASCII have none: see wordSize.
const (
	classWord byte = 1 << iota // letters, digits, underscore
	classDigit
	classHex
	classSpace
	classLetter // ASCII letters
	classIDWord // first letters of idWords
)

var classes = func() (t [256]byte) {
	for i := range t {
		b := byte(i)
		low := b | 0x20
		switch {
		case b >= '0' && b <= '9':
			t[i] = classWord | classDigit | classHex
		case low >= 'a' && low <= 'z' && b < 0x80:
			t[i] = classWord | classLetter
			if strings.IndexByte("pstrmn", low) >= 0 {
				t[i] |= classIDWord
			}
			if low <= 'f' {
				t[i] |= classHex
			}
		case b == '_':
			t[i] = classWord
		case b == ' ', b >= '\t' && b <= '\r':
			t[i] = classSpace
		}
	}
	return t
}()

func isDigit(b byte) bool { return b-'0' <= 9 }
func isWord(b byte) bool  { return classes[b]&classWord != 0 }
func isHex(b byte) bool   { return classes[b]&classHex != 0 }
func isBlank(b byte) bool { return classes[b]&classSpace != 0 }

func lowerByte(b byte) byte {
	if b-'A' < 26 {
		return b | 0x20
	}
	return b
}

// wordSize returns how many bytes the letter, digit or underscore at i takes, 0
// where another sign stands there.
func wordSize(text []byte, i int) int {
	if b := text[i]; b < utf8.RuneSelf {
		return int(classes[b] & classWord)
	}
	r, n := utf8.DecodeRune(text[i:])
	if unicode.IsLetter(r) || unicode.IsNumber(r) {
		return n
	}
	return 0
}

// wordRun returns the end of the letters, digits and underscores from i on.
func wordRun(text []byte, i int) int {
	for i < len(text) {
		if isWord(text[i]) {
			i++
			continue
		}
		if text[i] < utf8.RuneSelf {
			break
		}
		n := wordSize(text, i)
		if n == 0 {
			break
		}
		i += n
	}
	return i
}

// wordAt reports whether a letter, digit or underscore stands at i; past the end there is none.
func wordAt(text []byte, i int) bool { return i < len(text) && wordSize(text, i) > 0 }
