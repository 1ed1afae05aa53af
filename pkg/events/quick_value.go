package events

import "bytes"

// raw reads any value as it is written, without white space between tokens.
func (s *scanner) raw(into *RawJSON) bool {
	from := s.pos
	s.loose = false
	if !s.value() {
		return false
	}
	*into = RawJSON(s.data[from:s.pos:s.pos])
	if s.loose {
		at := len(s.reserve())
		s.buf = appendCompact(s.buf, *into)
		*into = RawJSON(s.buf[at:len(s.buf):len(s.buf)])
	}
	return true
}

// value passes any value.
func (s *scanner) value() bool {
	if s.pos >= len(s.data) {
		return false
	}
	switch b := s.data[s.pos]; b {
	case '"':
		inside, _ := s.quoted()
		return inside != nil
	case '{', '[':
		if s.depth++; s.depth > maxNested {
			return false
		}
		ok := b == '[' && s.array() || b == '{' && s.members()
		s.depth--
		return ok
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	_, ok := s.digits()
	return ok
}

// members passes an object whose names are the worker's own.
func (s *scanner) members() bool {
	base := s.open
	ok := s.object(func(name []byte) bool {
		if s.open == maxNames {
			return false
		}
		for _, n := range s.names[base:s.open] {
			if bytes.Equal(s.data[n.from:n.to], name) {
				return false
			}
		}
		s.names[s.open] = part{int32(s.named - len(name)), int32(s.named)}
		s.open++
		return s.value()
	})
	s.open = base
	return ok
}

func (s *scanner) array() bool {
	s.pos++
	if s.space(); s.take(']') {
		return true
	}
	for {
		if s.space(); !s.value() {
			return false
		}
		if s.space(); s.take(']') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

func (s *scanner) word(w string) bool {
	if len(s.data)-s.pos < len(w) || string(s.data[s.pos:s.pos+len(w)]) != w {
		return false
	}
	s.pos += len(w)
	return true
}
