package events

import "strconv"

// digits passes a number and returns it as it is written.
func (s *scanner) digits() ([]byte, bool) {
	from, d := s.pos, s.data
	i := from
	if i < len(d) && d[i] == '-' {
		i++
	}
	first := i
	for i < len(d) && d[i]-'0' < 10 {
		i++
	}
	if i == first || d[first] == '0' && i > first+1 {
		return nil, false
	}
	if i < len(d) && d[i] == '.' {
		dot := i
		for i++; i < len(d) && d[i]-'0' < 10; i++ {
		}
		if i == dot+1 {
			return nil, false
		}
	}
	if i < len(d) && d[i]|0x20 == 'e' {
		if i++; i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		exponent := i
		for i < len(d) && d[i]-'0' < 10 {
			i++
		}
		if i == exponent {
			return nil, false
		}
	}
	s.pos = i
	return d[from:i], true
}

// whole reads a number without sign, fraction or exponent.
func (s *scanner) whole(into *int64) bool {
	d, ok := s.digits()
	if !ok || len(d) > maxDigits {
		return false
	}
	var n int64
	for _, b := range d {
		if b-'0' > 9 {
			return false
		}
		n = 10*n + int64(b-'0')
	}
	*into = n
	return true
}

func (s *scanner) small(into *int) bool {
	var n int64
	ok := s.whole(&n)
	*into = int(n)
	return ok && n <= MaxRound
}

// number reads any number.
func (s *scanner) number(into *float64) bool {
	d, ok := s.digits()
	if !ok {
		return false
	}
	x, err := strconv.ParseFloat(view(d), 64)
	*into = x
	return err == nil
}

func (s *scanner) truth(into *bool) bool {
	*into = s.word("true")
	return *into || s.word("false")
}

// origin reads one of the two names as the constant.
func (s *scanner) origin(into *Origin) bool {
	var name string
	if !s.text(&name) {
		return false
	}
	switch Origin(name) {
	case FromAgent:
		*into = FromAgent
	case FromLoopwatch:
		*into = FromLoopwatch
	default:
		return false
	}
	return true
}
