package features

import (
	"unicode/utf8"
)

// unquote appends the text of the JSON string that begins at pos, and returns
// the position after it. Half surrogates keep their own three bytes, so that
// different escapes stay different.
func unquote(out, src []byte, pos int) ([]byte, int, bool) {
	if pos >= len(src) || src[pos] != '"' {
		return out, pos, false
	}
	pos++
	for {
		run := pos
		for pos < len(src) && src[pos] != '"' && src[pos] != '\\' && src[pos] >= ' ' {
			pos++
		}
		out = append(out, src[run:pos]...)
		if pos >= len(src) || src[pos] < ' ' {
			return out, pos, false
		}
		if src[pos] == '"' {
			return out, pos + 1, true
		}
		var ok bool
		if out, pos, ok = unescape(out, src, pos+1); !ok {
			return out, pos, false
		}
	}
}

// unescape appends what the escape means whose backslash stands before pos.
func unescape(out, src []byte, pos int) ([]byte, int, bool) {
	if pos >= len(src) {
		return out, pos, false
	}
	switch b := src[pos]; b {
	case '"', '\\', '/':
		return append(out, b), pos + 1, true
	case 'b':
		return append(out, '\b'), pos + 1, true
	case 'f':
		return append(out, '\f'), pos + 1, true
	case 'n':
		return append(out, '\n'), pos + 1, true
	case 'r':
		return append(out, '\r'), pos + 1, true
	case 't':
		return append(out, '\t'), pos + 1, true
	case 'u':
		return unescapeRune(out, src, pos+1)
	}
	return out, pos, false
}

func unescapeRune(out, src []byte, pos int) ([]byte, int, bool) {
	r, ok := hex4(src, pos)
	if !ok {
		return out, pos, false
	}
	pos += 4
	if r >= 0xd800 && r < 0xdc00 && pos+1 < len(src) && src[pos] == '\\' && src[pos+1] == 'u' {
		if low, ok := hex4(src, pos+2); ok && low >= 0xdc00 && low < 0xe000 {
			return utf8.AppendRune(out, (r-0xd800)<<10+(low-0xdc00)+0x10000), pos + 6, true
		}
	}
	if r >= 0xd800 && r < 0xe000 {
		return append(out, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0xbf, 0x80|byte(r)&0xbf), pos, true
	}
	return utf8.AppendRune(out, r), pos, true
}

func hex4(src []byte, pos int) (rune, bool) {
	if pos+4 > len(src) {
		return 0, false
	}
	var r rune
	for _, b := range src[pos : pos+4] {
		switch {
		case isDigit(b):
			r = r<<4 | rune(b-'0')
		case b|0x20 >= 'a' && b|0x20 <= 'f':
			r = r<<4 | rune(b|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// skipValue returns the position after the JSON value at pos. It needs no stack
// and checks strings and the balance of brackets only.
func skipValue(src []byte, pos int) (int, bool) {
	open := 0
	for pos < len(src) {
		switch b := src[pos]; {
		case b == '"':
			end, ok := skipString(src, pos)
			if !ok {
				return pos, false
			}
			pos = end
		case b == '{' || b == '[':
			open++
			pos++
			continue
		case b == '}' || b == ']':
			if open--; open < 0 {
				return pos, false
			}
			pos++
		case b == ',' || b == ':' || isJSONSpace(b):
			pos++
			continue
		default:
			for pos < len(src) && !isJSONSpace(src[pos]) && src[pos] != ',' && src[pos] != ']' && src[pos] != '}' {
				pos++
			}
		}
		if open == 0 {
			return pos, true
		}
	}
	return pos, false
}

// skipString returns the position after the JSON string at pos.
func skipString(src []byte, pos int) (int, bool) {
	for pos++; pos < len(src); pos++ {
		switch src[pos] {
		case '"':
			return pos + 1, true
		case '\\':
			pos++
		}
	}
	return pos, false
}
