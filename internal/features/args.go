package features

import (
	"bytes"
	"slices"
)

// maxArgs bounds how many arguments of one call are told one by one.
const maxArgs = 8

// maxNested bounds how deep arguments are looked into for single ones.
const maxNested = 4

// member is one member of an object: its key decoded, its value as written.
type member struct {
	name []byte
	raw  []byte
	drop bool // does not identify the call
}

// readArgs reads the top level of raw into x.members, sorted by name, the last
// of equal names standing. It reports false where raw is no object.
func (x *Extractor) readArgs(raw []byte) bool {
	x.members, x.names = x.members[:0], x.names[:0]
	pos := skipBlank(raw, 0)
	if pos >= len(raw) || raw[pos] != '{' {
		return false
	}
	pos = skipBlank(raw, pos+1)
	for pos < len(raw) && raw[pos] != '}' {
		var ok bool
		if pos, ok = x.readMember(raw, pos); !ok {
			return false
		}
		pos = skipBlank(raw, pos)
		if pos < len(raw) && raw[pos] == ',' {
			pos = skipBlank(raw, pos+1)
		} else if pos < len(raw) && raw[pos] != '}' {
			return false
		}
	}
	if pos >= len(raw) || skipBlank(raw, pos+1) != len(raw) {
		return false
	}
	slices.SortStableFunc(x.members, func(a, b member) int { return bytes.Compare(a.name, b.name) })
	last := x.members[:0]
	for i, m := range x.members {
		if i+1 < len(x.members) && bytes.Equal(m.name, x.members[i+1].name) {
			continue
		}
		last = append(last, m)
	}
	x.members = last
	return true
}

// readMember reads the member at pos and returns the position after it.
func (x *Extractor) readMember(raw []byte, pos int) (int, bool) {
	start := len(x.names)
	var ok bool
	if x.names, pos, ok = unquote(x.names, raw, pos); !ok {
		return pos, false
	}
	pos = skipBlank(raw, pos)
	if pos >= len(raw) || raw[pos] != ':' {
		return pos, false
	}
	from := skipBlank(raw, pos+1)
	if pos, ok = skipValue(raw, from); !ok {
		return pos, false
	}
	x.members = append(x.members, member{name: x.names[start:len(x.names):len(x.names)], raw: raw[from:pos]})
	return pos, true
}

func skipBlank(src []byte, pos int) int {
	for pos < len(src) && isJSONSpace(src[pos]) {
		pos++
	}
	return pos
}

// dropArgs marks the arguments that do not identify the call: those outside the
// rule's identity, else the narrating ones unless nothing else is there.
func (x *Extractor) dropArgs(rule ToolRule) {
	if len(rule.Identity) > 0 {
		for i := range x.members {
			x.members[i].drop = !named(rule.Identity, x.members[i].name)
		}
		return
	}
	kept := 0
	for i := range x.members {
		m := &x.members[i]
		if m.drop = named(x.rules.Fold.Narration, m.name); !m.drop {
			kept++
		}
	}
	for i := range x.members {
		x.members[i].drop = x.members[i].drop && kept > 0
	}
}

func named(list []string, name []byte) bool {
	for _, s := range list {
		if s == string(name) {
			return true
		}
	}
	return false
}

// keys sets the two identities of the call from the arguments read. command is
// the name of the argument that holds a shell command, or nil.
func (x *Extractor) keys(c *Call, tool string, command []byte) {
	b := append(appendLen(x.out[:0], len(tool)), tool...)
	exact := append(appendLen(x.exact[:0], len(tool)), tool...)
	for _, m := range x.members {
		exact = append(appendLen(exact, len(m.name)), m.name...)
		exact = x.canon.appendTo(exact, m.raw, nil, false, false)
		if m.drop {
			continue
		}
		b = append(appendLen(b, len(m.name)), m.name...)
		from := len(b)
		fold := &x.rules.Fold
		b = x.canon.appendTo(b, m.raw, fold, fold.upper(m.name), command != nil && bytes.Equal(m.name, command))
		if m.raw[0] == '{' || m.raw[0] == '[' {
			x.tellWithin(c, m.name, m.raw, maxNested)
		} else {
			x.tell(c, m.name, b[from:])
		}
	}
	x.out, x.exact = b, exact
	c.Key, c.Exact = x.sum(domainCall, b), x.sum(domainExact, exact)
}

// tellWithin adds the scalars within an object under their own names, those
// within a list under the name of the list.
func (x *Extractor) tellWithin(c *Call, name, raw []byte, depth int) {
	if raw[0] != '{' && raw[0] != '[' {
		fold := &x.rules.Fold
		x.leaf = x.canon.appendTo(x.leaf[:0], raw, fold, fold.upper(name), false)
		x.tell(c, name, x.leaf)
		return
	}
	for pos := skipBlank(raw, 1); depth > 0 && len(c.Args) < maxArgs && pos < len(raw); pos = skipBlank(raw, pos) {
		if raw[pos] == ',' {
			pos++
			continue
		}
		var ok bool
		inner := name
		if raw[0] == '{' && raw[pos] != '}' {
			start := len(x.names)
			if x.names, pos, ok = unquote(x.names, raw, pos); !ok {
				return
			}
			inner = x.names[start:len(x.names):len(x.names)]
			if pos = skipBlank(raw, pos); pos >= len(raw) || raw[pos] != ':' {
				return
			}
			pos = skipBlank(raw, pos+1)
		}
		from := pos
		if pos, ok = skipValue(raw, from); !ok || pos == from {
			return
		}
		if !named(x.rules.Fold.Narration, inner) {
			x.tellWithin(c, inner, raw[from:pos], depth-1)
		}
	}
}

// tell adds a scalar argument in its canonical form.
func (x *Extractor) tell(c *Call, name, value []byte) {
	if len(c.Args) < maxArgs && tells(value) {
		x.arg = append(append(appendLen(x.arg[:0], len(name)), name...), value...)
		c.Args = append(c.Args, x.sum(domainArg, x.arg))
	}
}

// tells reports whether a canonical value is a scalar that says something by
// being shared: no null, no boolean, not "", 0 or 1.
func tells(v []byte) bool {
	switch v[0] {
	case tagString:
		return len(v) > 5
	case tagNumber:
		return string(v) != "n0;" && string(v) != "n1e0;"
	}
	return false
}
