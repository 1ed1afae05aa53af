package features

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// upper reports whether strings under the key are identifiers to upper-case.
func (f *Fold) upper(key []byte) bool {
	if f == nil {
		return false
	}
	for _, name := range f.UpperFields {
		if name == string(key) {
			return true
		}
	}
	return false
}

// text folds one string in place where it can and returns the result. In a
// shell command of one line white space counts inside quotes and nowhere else.
func (f *Fold) text(b []byte, upper, asCommand bool) []byte {
	switch {
	case f.Collapse == CollapseAll:
		b = collapse(b, false)
	default:
		b = trimLines(b)
		if bytes.IndexByte(b, '\n') < 0 {
			b = collapse(b, asCommand)
		}
	}
	switch {
	case upper:
		return bytesCase(b, 'a', bytes.ToUpper)
	case f.LowerStrings:
		return bytesCase(b, 'A', bytes.ToLower)
	}
	return b
}

// trimLines drops blank lines at the start and all white space at the end. The
// indentation of the first line stays: in text of several lines it counts.
func trimLines(b []byte) []byte {
	for len(b) > 0 {
		r, n := utf8.DecodeLastRune(b)
		if !isSpace(r) {
			break
		}
		b = b[:len(b)-n]
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if !isSpace(r) {
			break
		}
		i += n
		if r == '\n' {
			b, i = b[i:], 0
		}
	}
	return b
}

// collapse joins the words of b by single blanks, in place. With quotes, white
// space between quotes or after a backslash stays.
func collapse(b []byte, quotes bool) []byte {
	w := 0
	var quote byte
	gap := false
	for i := 0; i < len(b); {
		ch, n := b[i], 1
		space := ch == ' ' || ch >= '\t' && ch <= '\r' || ch >= 0x1c && ch <= 0x1f
		if ch >= utf8.RuneSelf {
			var r rune
			r, n = utf8.DecodeRune(b[i:])
			space = unicode.IsSpace(r)
		}
		if space && quote == 0 {
			gap = w > 0
			i += n
			continue
		}
		if gap {
			b[w] = ' '
			w++
			gap = false
		}
		if quotes && ch == '\\' && quote != '\'' && i+1 < len(b) && b[i+1] < utf8.RuneSelf {
			n = 2
		} else if quotes && (ch == '\'' || ch == '"') {
			switch quote {
			case 0:
				quote = ch
			case ch:
				quote = 0
			}
		}
		w += copy(b[w:], b[i:i+n])
		i += n
	}
	return b[:w]
}

// isSpace reports what separates words: Unicode white space and the four information separators.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// bytesCase turns the 26 letters from first on into the other case, in place; text beyond
// ASCII goes through full.
func bytesCase(b []byte, first byte, full func([]byte) []byte) []byte {
	for _, ch := range b {
		if ch >= utf8.RuneSelf {
			return full(b)
		}
	}
	for i, ch := range b {
		if ch >= first && ch < first+26 {
			b[i] = ch ^ 0x20
		}
	}
	return b
}
