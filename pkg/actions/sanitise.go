package actions

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks bounds combining marks on one letter; no script needs more.
const maxMarks = 4

// Sanitise makes text from outside safe to show to a model or a person. It
// keeps letters, marks, numbers, punctuation and symbols, and turns each run of
// white space and line ends into one blank. Terminal escape sequences, control,
// bidirectional, zero-width, variation, private-use and unassigned characters
// and invalid UTF-8 are removed. What is longer than limit runes is cut and
// ends in "…". The result is the same when sanitised again.
func Sanitise(s string, limit int) string {
	var b strings.Builder
	n, marks, blank := 0, 0, false
	for i := 0; i < len(s) && n <= limit; {
		if skip := escape(s[i:]); skip > 0 {
			i += skip
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == utf8.RuneError && size == 1:
			continue
		case unicode.IsSpace(r) || unicode.In(r, unicode.Z):
			blank = n > 0
			continue
		case !shown(r):
			continue
		}
		if unicode.Is(unicode.M, r) {
			if marks++; marks > maxMarks || n == 0 {
				continue
			}
		} else {
			marks = 0
		}
		if blank {
			b.WriteByte(' ')
			n++
			blank = false
		}
		b.WriteRune(r)
		n++
	}
	return cut(b.String(), limit)
}

// shown reports whether a character has a look of its own.
func shown(r rune) bool {
	return unicode.IsPrint(r) &&
		!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		r != '\u2800' && r != '\ufffc'
}

// escape returns the length of the terminal escape sequence that s begins
// with, 0 for none. An unfinished one is its first character alone.
func escape(s string) int {
	var body string
	switch {
	case strings.HasPrefix(s, "\x1b["):
		return 2 + csi(s[2:])
	case strings.HasPrefix(s, "\u009b"):
		return 2 + csi(s[2:])
	case strings.HasPrefix(s, "\x1b]"), strings.HasPrefix(s, "\x1bP"), strings.HasPrefix(s, "\x1b_"), strings.HasPrefix(s, "\x1b^"):
		body = s[2:]
	default:
		return 0
	}
	const longest = 4096
	body = body[:min(len(body), longest)]
	for i := range len(body) {
		switch {
		case body[i] == '\a':
			return 2 + i + 1
		case strings.HasPrefix(body[i:], "\x1b\\"):
			return 2 + i + 2
		}
	}
	return 2
}

// csi returns the length of a control sequence after its introducer.
func csi(s string) int {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x3f:
			return i
		}
	}
	return len(s)
}

// cut shortens s to at most limit runes, ending in "…" where something went.
func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	if limit <= 0 {
		return ""
	}
	n := 0
	for i := range s {
		if n == limit-1 {
			return strings.TrimRight(s[:i], " ") + "…"
		}
		n++
	}
	return s
}

// quotes cannot be closed from within, and no chat template's marker survives.
var quotes = strings.NewReplacer("«", "‹", "»", "›", "<|", "‹|", "|>", "|›")

// Quoted returns sanitised text of at most limit runes as data between « and
// ». Quotation marks of that kind inside become ‹ and ›.
func Quoted(s string, limit int) string {
	return "«" + quotes.Replace(Sanitise(s, limit)) + "»"
}
