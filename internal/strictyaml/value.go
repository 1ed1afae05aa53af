package strictyaml

import (
	"math"
	"strconv"

	"github.com/goccy/go-yaml/ast"
)

// Value is one value of a file, with its path. The zero Value is absent.
type Value struct {
	doc  *Document
	node ast.Node
	path string
}

// Reader is a type that reads itself from a value: it reports faults through
// the value and leaves itself as it was where it cannot.
type Reader interface{ ReadYAML(v Value) }

// Member is one key of a mapping with its value.
type Member struct {
	Key   string
	Value Value
}

// Path returns the keys that lead to the value.
func (v Value) Path() string { return v.path }

// Fault adds a fault at the value.
func (v Value) Fault(format string, args ...any) { v.doc.Fault(v.path, format, args...) }

// Present reports whether there is a value at all.
func (v Value) Present() bool { return v.node != nil }

// Peek returns the text under a key, empty where there is none; it reports no
// fault.
func (v Value) Peek(key string) string {
	m, ok := v.node.(ast.MapNode)
	if !ok {
		return ""
	}
	for it := m.MapRange(); it.Next(); {
		if s, ok := it.Value().(*ast.StringNode); ok && it.Key().GetToken().Value == key {
			return s.Value
		}
	}
	return ""
}

// Members returns the keys of a mapping in the order of the file. Anything
// else is a fault, and so is a key that occurs twice: its first value stands.
func (v Value) Members() []Member {
	m, ok := v.node.(ast.MapNode)
	if !ok {
		v.want("keys and values")
		return nil
	}
	var out []Member
	lines := map[string]int{}
	for it := m.MapRange(); it.Next(); {
		key, ok := v.key(it.Key())
		if !ok {
			continue
		}
		child := Value{doc: v.doc, node: it.Value(), path: join(v.path, key)}
		if first, twice := lines[key]; twice {
			v.doc.add(it.Key(), child.path, "occurs twice, first in line "+strconv.Itoa(first))
			continue
		}
		lines[key] = line(it.Key())
		child.node = it.Key()
		child.mark()
		child.node = it.Value()
		out = append(out, Member{Key: key, Value: child})
	}
	return out
}

// key returns a plain key; a merge or a complex key is a fault.
func (v Value) key(n ast.MapKeyNode) (string, bool) {
	switch n.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.BoolNode, *ast.FloatNode:
		return n.GetToken().Value, true
	}
	v.doc.add(n, join(v.path, n.GetToken().Value), "want a plain key")
	return "", false
}

// items returns the items of a list.
func (v Value) items() ([]Value, bool) {
	s, ok := v.node.(*ast.SequenceNode)
	if !ok {
		v.want("a list")
		return nil, false
	}
	out := make([]Value, 0, len(s.Values))
	for i, n := range s.Values {
		item := Value{doc: v.doc, node: n, path: v.path + "[" + strconv.Itoa(i) + "]"}
		item.mark()
		out = append(out, item)
	}
	return out, true
}

// Text returns a string; anything else is a fault.
func (v Value) Text() (string, bool) {
	switch n := v.node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	v.want("text")
	return "", false
}

// Number returns a number; anything else is a fault.
func (v Value) Number() (float64, bool) {
	switch n := v.node.(type) {
	case *ast.IntegerNode:
		switch x := n.Value.(type) {
		case int64:
			return float64(x), true
		case uint64:
			return float64(x), true
		}
	case *ast.FloatNode:
		return n.Value, true
	case *ast.StringNode: // the exponent form is text to the parser
		if x, err := strconv.ParseFloat(n.Value, 64); err == nil && plain(n) && !math.IsInf(x, 0) && !math.IsNaN(x) {
			return x, true
		}
	}
	v.want("a number")
	return 0, false
}

func (v Value) whole() (int64, bool) {
	n, ok := v.node.(*ast.IntegerNode)
	if !ok {
		v.want("a whole number")
		return 0, false
	}
	switch x := n.Value.(type) {
	case int64:
		return x, true
	case uint64:
		if x <= math.MaxInt64 {
			return int64(x), true
		}
	}
	v.want("a smaller number")
	return 0, false
}

// want adds a fault that names what the value should have been.
func (v Value) want(what string) {
	switch v.node.(type) {
	case nil:
	case *ast.NullNode:
		v.Fault("has no value, want %s", what)
	case *ast.AliasNode, *ast.AnchorNode, *ast.TagNode:
		v.Fault("want %s; anchors, aliases and tags are not read here", what)
	default:
		v.Fault("want %s, got %s", what, kindOf(v.node))
	}
}

func (v Value) mark() {
	if t := v.node.GetToken(); t != nil && t.Position != nil {
		v.doc.places[v.path] = place{line: t.Position.Line, column: t.Position.Column}
	}
}

func (d *Document) add(n ast.Node, path, problem string) {
	d.faults = append(d.faults, Fault{Line: line(n), Column: n.GetToken().Position.Column, Path: path, Problem: problem})
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
