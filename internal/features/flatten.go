package features

import "bytes"

// flattener turns JSON content into the text it says: one "key: value" line for
// each scalar, in the order of the document, without keys that only wrap text. A string that holds a JSON object
// or array is read as that.
type flattener struct {
	src      []byte
	pos      int
	depth    int
	out      []byte
	nest     []byte   // decoded strings that are being read as JSON
	volatile []string // keys whose values are replaced
}

// appendTo appends the text of raw to out; what is no JSON is its own text.
func (f *flattener) appendTo(out, raw []byte, volatile []string) []byte {
	f.out, f.depth, f.nest, f.volatile = out, 0, f.nest[:0], volatile
	if !f.whole(raw) {
		f.out = append(f.out, raw...)
	}
	out = f.out
	f.src, f.out = nil, nil
	return out
}

// whole reads src as one JSON value; where it is none, nothing is appended.
func (f *flattener) whole(src []byte) bool {
	start, outer, pos := len(f.out), f.src, f.pos
	f.src, f.pos = src, skipBlank(src, 0)
	ok := f.value() && skipBlank(src, f.pos) == len(src)
	f.src, f.pos = outer, pos
	if !ok {
		f.out = f.out[:start]
	}
	return ok
}

func (f *flattener) value() bool {
	if f.pos >= len(f.src) {
		return false
	}
	switch b := f.src[f.pos]; b {
	case '"':
		return f.text()
	case '{', '[':
		if f.depth == maxDepth {
			end, ok := skipValue(f.src, f.pos)
			f.out = append(f.out, f.src[f.pos:end]...)
			f.pos = end
			return ok
		}
		f.depth++
		ok := f.items(b == '{')
		f.depth--
		return ok
	}
	return f.bare()
}

// bare reads a number, true, false, or null, which says nothing.
func (f *flattener) bare() bool {
	from := f.pos
	if end, _, ok := numberEnd(f.src, from); ok {
		f.pos = end
		f.out = append(f.out, f.src[from:end]...)
		return true
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(f.src[from:], []byte(word)) {
			f.pos += len(word)
			if word != "null" {
				f.out = append(f.out, word...)
			}
			return true
		}
	}
	return false
}

func (f *flattener) text() bool {
	start := len(f.out)
	var ok bool
	if f.out, f.pos, ok = unquote(f.out, f.src, f.pos); !ok {
		return false
	}
	if s := f.out[start:]; len(s) < 2 || s[0] != '{' && s[0] != '[' || f.depth == maxDepth {
		return true
	}
	kept := len(f.nest)
	f.nest = append(f.nest, f.out[start:]...)
	inner := f.nest[kept:]
	f.out = f.out[:start]
	f.depth++
	if !f.whole(inner) {
		f.out = append(f.out, inner...)
	}
	f.depth--
	f.nest = f.nest[:kept]
	return true
}

// items reads an object or an array. Members that say nothing leave no line; an
// empty array says "[]".
func (f *flattener) items(object bool) bool {
	closing := byte(']')
	if object {
		closing = '}'
	}
	start := len(f.out)
	f.pos = skipBlank(f.src, f.pos+1)
	for first := true; ; first = false {
		if f.pos >= len(f.src) {
			return false
		}
		if first && f.src[f.pos] == closing {
			if f.pos++; !object {
				f.out = append(f.out, "[]"...)
			}
			return true
		}
		line := len(f.out)
		if line > start {
			f.out = append(f.out, '\n')
		}
		said := len(f.out)
		var ok bool
		if object {
			ok = f.member()
		} else {
			ok = f.value()
		}
		if !ok {
			return false
		}
		if len(f.out) == said {
			f.out = f.out[:line]
		}
		f.pos = skipBlank(f.src, f.pos)
		if f.pos >= len(f.src) {
			return false
		}
		b := f.src[f.pos]
		f.pos++
		if b == closing {
			return true
		}
		if b != ',' {
			return false
		}
		f.pos = skipBlank(f.src, f.pos)
	}
}

// member reads a key and its value. It writes the key only before a scalar that
// needs it, and passes over the value of a volatile one.
func (f *flattener) member() bool {
	start := len(f.out)
	var ok bool
	if f.out, f.pos, ok = unquote(f.out, f.src, f.pos); !ok {
		return false
	}
	f.pos = skipBlank(f.src, f.pos)
	if f.pos >= len(f.src) || f.src[f.pos] != ':' {
		return false
	}
	f.pos = skipBlank(f.src, f.pos+1)
	if f.pos >= len(f.src) {
		return false
	}
	if len(f.volatile) > 0 && named(f.volatile, f.out[start:]) {
		f.out = append(f.out, ": <v>"...)
		f.pos, ok = skipValue(f.src, f.pos)
		return ok
	}
	if b := f.src[f.pos]; b == '{' || b == '[' || envelopeKeys[string(f.out[start:])] {
		f.out = f.out[:start]
	} else {
		f.out = append(f.out, ": "...)
	}
	return f.value()
}

// envelopeKeys wrap what a tool says and add nothing to it.
var envelopeKeys = setOf("output result results content message text data response stdout stderr observation")

// opaque returns the value of {"$h":"…"}, which stands for content that was not sent.
func opaque(raw []byte) ([]byte, bool) {
	pos := skipBlank(raw, 0)
	for _, want := range [...]string{"{", `"$h"`, ":"} {
		if !bytes.HasPrefix(raw[pos:], []byte(want)) {
			return nil, false
		}
		pos = skipBlank(raw, pos+len(want))
	}
	end, ok := skipString(raw, pos)
	if !ok || raw[pos] != '"' {
		return nil, false
	}
	after := skipBlank(raw, end)
	if after >= len(raw) || raw[after] != '}' || skipBlank(raw, after+1) != len(raw) {
		return nil, false
	}
	return raw[pos:end], true
}
