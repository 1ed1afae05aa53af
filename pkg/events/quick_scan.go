package events

import (
	"encoding/binary"
	"unsafe"
)

// Bounds beyond which the scanner is not sure.
const (
	maxNames  = 64 // of the objects that are open
	maxNested = 32
	maxDigits = 15 // of a whole number
)

// scanner reads JSON in one pass. Every method reports whether it is sure; after
// false the scanner is of no more use. It is strict: what it accepts is
// well-formed but for UTF-8, which wide leaves to the caller.
type scanner struct {
	data  []byte
	pos   int
	depth int
	wide  bool   // there are bytes beyond ASCII
	loose bool   // there was white space between tokens of the value at hand
	buf   []byte // what differs from how it is written
	names [maxNames]part
	open  int // names in use
	named int // where the newest name ends
}

// part is where a name stands.
type part struct{ from, to int32 }

func (s *scanner) reset(data []byte) {
	s.data, s.pos, s.depth, s.wide, s.buf, s.open = data, 0, 0, false, s.buf[:0], 0
}

// space passes white space between tokens.
func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
			s.loose = true
		default:
			return
		}
	}
}

// take passes one sign.
func (s *scanner) take(b byte) bool {
	if s.pos < len(s.data) && s.data[s.pos] == b {
		s.pos++
		return true
	}
	return false
}

// object passes an object and calls field for each name; field reads the value.
func (s *scanner) object(field func(name []byte) bool) bool {
	s.space()
	if !s.take('{') {
		return false
	}
	if s.space(); s.take('}') {
		return true
	}
	for {
		s.space()
		name, plain := s.quoted()
		if name == nil || !plain {
			return false
		}
		s.named = s.pos - 1
		s.space()
		if !s.take(':') {
			return false
		}
		if s.space(); !field(name) {
			return false
		}
		if s.space(); s.take('}') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// quoted passes a string and returns what is between its quotes; plain says that
// this holds no escape. It is nil where there is no well-formed string.
func (s *scanner) quoted() (inside []byte, plain bool) {
	if !s.take('"') {
		return nil, false
	}
	const each, high = 0x0101010101010101, 0x8080808080808080
	data, i := s.data, s.pos
	plain = true
	for {
		for i+8 <= len(data) { // eight at a time while none of them is special
			x := binary.LittleEndian.Uint64(data[i:])
			quote, back := x^each*'"', x^each*'\\'
			if (x|(x-each*' ')|(quote-each)&^quote|(back-each)&^back)&high != 0 {
				break
			}
			i += 8
		}
		if i >= len(data) {
			return nil, false
		}
		switch b := data[i]; {
		case b == '"':
			inside, s.pos = data[s.pos:i:i], i+1
			return inside, plain
		case b == '\\':
			n := escapeSize(data[i:])
			if n == 0 {
				return nil, false
			}
			plain = false
			i += n
		case b < ' ':
			return nil, false
		default:
			s.wide = s.wide || b >= 0x80
			i++
		}
	}
}

// escapeSize returns the length of the escape at the beginning of b, 0 for one
// that is wrong or half of a pair.
func escapeSize(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if r, ok := hex4(b[2:]); ok && (r < 0xd800 || r > 0xdfff) {
			return 6
		}
	}
	return 0
}

// text reads a string.
func (s *scanner) text(into *string) bool {
	inside, plain := s.quoted()
	if inside == nil {
		return false
	}
	if !plain {
		from := len(s.reserve())
		s.buf = unescape(s.buf, inside)
		inside = s.buf[from:]
	}
	*into = view(inside)
	return true
}

// view is b as a string that aliases it.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // the decoder's contract: nobody changes b
}

// reserve makes room in buf for all of the message: what goes there is never
// longer than what it stands for.
func (s *scanner) reserve() []byte {
	if cap(s.buf) < len(s.data) {
		s.buf = make([]byte, 0, len(s.data))
	}
	return s.buf
}
