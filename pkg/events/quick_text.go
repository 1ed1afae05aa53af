package events

import (
	"time"
	"unicode/utf8"
)

// unescape appends what a string means, whose escapes are known to be right.
func unescape(out, inside []byte) []byte {
	for i := 0; i < len(inside); {
		b := inside[i]
		if b != '\\' {
			out = append(out, b)
			i++
			continue
		}
		switch c := inside[i+1]; c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, _ := hex4(inside[i+2:])
			out = utf8.AppendRune(out, r)
			i += 4
		default:
			out = append(out, c)
		}
		i += 2
	}
	return out
}

// hex4 reads four hexadecimal digits.
func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c-'0' < 10:
			r = r<<4 | rune(c-'0')
		case c|0x20-'a' < 6:
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// time reads a time of RFC 3339 that says all its digits, in UTC.
func (s *scanner) time(into *time.Time) bool {
	inside, plain := s.quoted()
	const shape = "0000-00-00T00:00:00"
	if len(inside) <= len(shape) || !plain {
		return false
	}
	for i := range len(shape) {
		if b := inside[i]; shape[i] == '0' && b-'0' > 9 || shape[i] != '0' && b != shape[i] {
			return false
		}
	}
	two := func(i int) int { return int(inside[i]-'0')*10 + int(inside[i+1]-'0') }
	year, month, day := two(0)*100+two(2), two(5), two(8)
	hour, minute, second := two(11), two(14), two(17)
	if month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59 {
		return false
	}
	rest := inside[len(shape):]
	nano, n := fraction(rest)
	offset, ok := zone(rest[n:])
	t := time.Date(year, time.Month(month), day, hour, minute, second, nano, time.UTC)
	if !ok || t.Day() != day { // such as February 30
		return false
	}
	*into = t.Add(-offset)
	return true
}

// fraction reads up to nine digits behind a point and returns how long that is;
// more digits, or none, end where zone is not sure any more.
func fraction(b []byte) (nano, n int) {
	if len(b) < 2 || b[0] != '.' {
		return 0, 0
	}
	scale := 100_000_000
	for n = 1; n < len(b) && n <= 9 && b[n]-'0' < 10; n++ {
		nano += int(b[n]-'0') * scale
		scale /= 10
	}
	if n == 1 {
		return 0, 0
	}
	return nano, n
}

// zone reads Z or hours and minutes.
func zone(b []byte) (time.Duration, bool) {
	if len(b) == 1 && b[0] == 'Z' {
		return 0, true
	}
	if len(b) != 6 || b[0] != '+' && b[0] != '-' || b[3] != ':' {
		return 0, false
	}
	for _, i := range [...]int{1, 2, 4, 5} {
		if b[i]-'0' > 9 {
			return 0, false
		}
	}
	hours, minutes := int(b[1]-'0')*10+int(b[2]-'0'), int(b[4]-'0')*10+int(b[5]-'0')
	if hours > 23 || minutes > 59 {
		return 0, false
	}
	offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if b[0] == '-' {
		offset = -offset
	}
	return offset, true
}
