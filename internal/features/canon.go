package features

import (
	"bytes"
	"slices"
)

// maxDepth bounds the nesting that is looked into; what lies deeper counts as it is written.
const maxDepth = 64

// canon writes the canonical form of JSON values: every value begins with a tag,
// strings carry their length, members of objects are sorted by key and the last
// of equal keys stands. Two values mean the same exactly where the forms agree.
type canon struct {
	src   []byte
	pos   int
	depth int
	fold  *Fold // nil folds nothing
	out   []byte
	spans []span // members of the objects that are open
	tmp   []byte
}

// span is one member in out: its key lies in [key,val), its value in [val,end).
type span struct{ key, val, end int }

// Tags of canonical values.
const (
	tagString  = 's'
	tagNumber  = 'n'
	tagTrue    = 't'
	tagFalse   = 'f'
	tagNull    = 'z'
	tagRaw     = 'r' // deeper than maxDepth, as written
	tagInvalid = 'x' // no JSON at all, as written
)

// appendTo appends the canonical form of raw to out. asCommand folds a string as
// a shell command; upper folds strings as an identifier field.
func (c *canon) appendTo(out, raw []byte, fold *Fold, upper, asCommand bool) []byte {
	start := len(out)
	c.src, c.pos, c.depth, c.fold, c.out = raw, 0, 0, fold, out
	c.spans = c.spans[:0]
	c.skipSpace()
	ok := c.value(upper, asCommand)
	c.skipSpace()
	out = c.out
	if !ok || c.pos != len(raw) {
		out = append(out[:start], tagInvalid)
		out = append(appendLen(out, len(raw)), raw...)
	}
	c.src, c.out = nil, nil
	return out
}

func (c *canon) skipSpace() {
	for c.pos < len(c.src) && isJSONSpace(c.src[c.pos]) {
		c.pos++
	}
}

func isJSONSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// value writes the value at pos and reports whether it is well-formed.
func (c *canon) value(upper, asCommand bool) bool {
	if c.pos >= len(c.src) {
		return false
	}
	switch b := c.src[c.pos]; {
	case b == '"':
		return c.text(upper, asCommand)
	case b == '{' || b == '[':
		if c.depth == maxDepth {
			return c.rawValue()
		}
		c.depth++
		var ok bool
		if b == '{' {
			ok = c.object()
		} else {
			ok = c.array(upper)
		}
		c.depth--
		return ok
	case b == '-' || isDigit(b):
		return c.number()
	}
	return c.word("true", tagTrue) || c.word("false", tagFalse) || c.word("null", tagNull)
}

func (c *canon) word(word string, tag byte) bool {
	if !bytes.HasPrefix(c.src[c.pos:], []byte(word)) {
		return false
	}
	c.out = append(c.out, tag)
	c.pos += len(word)
	return true
}

func (c *canon) rawValue() bool {
	end, ok := skipValue(c.src, c.pos)
	if !ok {
		return false
	}
	c.out = append(appendLen(append(c.out, tagRaw), end-c.pos), c.src[c.pos:end]...)
	c.pos = end
	return true
}

func (c *canon) text(upper, asCommand bool) bool {
	c.out = append(c.out, tagString)
	at := len(c.out)
	c.out = appendLen(c.out, 0)
	start := len(c.out)
	var ok bool
	if c.out, c.pos, ok = unquote(c.out, c.src, c.pos); !ok {
		return false
	}
	if c.fold != nil {
		c.out = append(c.out[:start], c.fold.text(c.out[start:], upper, asCommand)...)
	}
	appendLen(c.out[:at], len(c.out)-start)
	return true
}

func (c *canon) array(upper bool) bool {
	c.out = append(c.out, '[')
	c.pos++
	for first := true; ; first = false {
		c.skipSpace()
		if first && c.take(']') {
			break
		}
		if !c.value(upper, false) {
			return false
		}
		if c.skipSpace(); c.take(']') {
			break
		}
		if !c.take(',') {
			return false
		}
	}
	c.out = append(c.out, ']')
	return true
}

func (c *canon) take(b byte) bool {
	if c.pos < len(c.src) && c.src[c.pos] == b {
		c.pos++
		return true
	}
	return false
}

func (c *canon) object() bool {
	c.out = append(c.out, '{')
	c.pos++
	base, start := len(c.spans), len(c.out)
	for first := true; ; first = false {
		c.skipSpace()
		if first && c.take('}') {
			break
		}
		if !c.member() {
			return false
		}
		if c.skipSpace(); c.take('}') {
			break
		}
		if !c.take(',') {
			return false
		}
	}
	c.sortMembers(base, start)
	c.spans = c.spans[:base]
	c.out = append(c.out, '}')
	return true
}

func (c *canon) member() bool {
	if c.pos >= len(c.src) || c.src[c.pos] != '"' {
		return false
	}
	s := span{key: len(c.out)}
	fold := c.fold
	c.fold = nil // keys are never folded
	ok := c.text(false, false)
	c.fold = fold
	c.skipSpace()
	if !ok || !c.take(':') {
		return false
	}
	c.skipSpace()
	s.val = len(c.out)
	if !c.value(fold.upper(c.out[s.key+5:s.val]), false) {
		return false
	}
	s.end = len(c.out)
	c.spans = append(c.spans, s)
	return true
}

// sortMembers orders the members written since start, of which the spans from
// base on tell. Members that are in order already are not moved.
func (c *canon) sortMembers(base, start int) {
	spans := c.spans[base:]
	out := c.out
	byKey := func(a, b span) int { return bytes.Compare(out[a.key:a.val], out[b.key:b.val]) }
	sorted := true
	for i := 1; i < len(spans) && sorted; i++ {
		sorted = byKey(spans[i-1], spans[i]) < 0
	}
	if sorted {
		return
	}
	slices.SortStableFunc(spans, byKey)
	c.tmp = append(c.tmp[:0], out[start:]...)
	w := out[:start]
	for i, s := range spans {
		if i+1 < len(spans) {
			n := spans[i+1]
			if bytes.Equal(c.tmp[s.key-start:s.val-start], c.tmp[n.key-start:n.val-start]) {
				continue
			}
		}
		w = append(w, c.tmp[s.key-start:s.end-start]...)
	}
	c.out = w
}
