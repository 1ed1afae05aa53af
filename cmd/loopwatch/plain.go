package main

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain writes text for people to a terminal: what names of files, operators
// and others could do to it (escape sequences, control and bidirectional
// characters) is written out as in Go, \x1b. Tabs and ends of lines stay, and
// the carriage return that a write begins with.
type plain struct{ w io.Writer }

// Write writes b, made plain; each character must be in one piece.
func (p plain) Write(b []byte) (int, error) {
	var out strings.Builder
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			const digits = "0123456789abcdef"
			out.WriteString(`\x` + string(digits[b[i]>>4]) + string(digits[b[i]&15]))
		case unicode.IsGraphic(r), r == '\n', r == '\t', r == '\r' && i == 0:
			out.WriteRune(r)
		default:
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		i += size
	}
	if _, err := io.WriteString(p.w, out.String()); err != nil {
		return 0, err
	}
	return len(b), nil
}
