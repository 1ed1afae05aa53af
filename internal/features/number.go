package features

import "strconv"

// number writes the number at pos by its value: 1, 1.0 and 1e0 are one number,
// and integers of any size stay exact.
func (c *canon) number() bool {
	end, fraction, ok := numberEnd(c.src, c.pos)
	if !ok {
		return false
	}
	text := c.src[c.pos:end]
	c.pos = end
	if fraction && c.fold != nil && c.fold.FloatDecimals > 0 {
		if f, err := strconv.ParseFloat(string(text), 64); err == nil {
			c.tmp = strconv.AppendFloat(c.tmp[:0], f, 'f', c.fold.FloatDecimals, 64)
			text = c.tmp
		}
	}
	c.out = appendNumber(c.out, text)
	return true
}

// numberEnd returns the position after the JSON number at pos, and whether it
// has a fraction or an exponent.
func numberEnd(src []byte, pos int) (end int, fraction, ok bool) {
	if pos < len(src) && src[pos] == '-' {
		pos++
	}
	first := pos
	if pos = skipDigits(src, pos); pos == first || src[first] == '0' && pos > first+1 {
		return pos, false, false
	}
	if pos < len(src) && src[pos] == '.' {
		dot := pos
		if pos = skipDigits(src, pos+1); pos == dot+1 {
			return pos, true, false
		}
		fraction = true
	}
	if pos < len(src) && src[pos]|0x20 == 'e' {
		pos++
		if pos < len(src) && (src[pos] == '+' || src[pos] == '-') {
			pos++
		}
		first = pos
		if pos = skipDigits(src, pos); pos == first {
			return pos, true, false
		}
		fraction = true
	}
	return pos, fraction, true
}

func skipDigits(src []byte, pos int) int {
	for pos < len(src) && isDigit(src[pos]) {
		pos++
	}
	return pos
}

// appendNumber appends a well-formed number as its significant digits and a
// power of ten. Exponents beyond nine digits are kept as they are written.
func appendNumber(out, text []byte) []byte {
	start := len(out)
	out = append(out, tagNumber)
	mantissa, exponent, point := len(out), 0, false
	if text[0] == '-' {
		out = append(out, '-')
		mantissa++
	}
	for i, b := range text {
		switch {
		case b == '.':
			point = true
		case isDigit(b):
			if point {
				exponent--
			}
			if b != '0' || len(out) > mantissa {
				out = append(out, b)
			}
		case b|0x20 == 'e':
			if len(text)-i > 10 {
				return append(append(append(out[:start], tagNumber), text...), ';')
			}
			e, _ := strconv.Atoi(string(text[i+1:]))
			return finishNumber(out, start, mantissa, exponent+e)
		}
	}
	return finishNumber(out, start, mantissa, exponent)
}

// finishNumber drops the zeros at the end of the digits and closes the form; zero has no sign.
func finishNumber(out []byte, start, mantissa, exponent int) []byte {
	if len(out) == mantissa {
		return append(out[:start], tagNumber, '0', ';')
	}
	for out[len(out)-1] == '0' {
		out = out[:len(out)-1]
		exponent++
	}
	out = strconv.AppendInt(append(out, 'e'), int64(exponent), 10)
	return append(out, ';')
}
