package strictyaml

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Writer is a type that says in other values what is to be written for it: a
// scalar, a struct, or Pairs.
type Writer interface{ WriteYAML() any }

// Pairs is a mapping in a given order.
type Pairs []Pair

// Pair is one key of a mapping.
type Pair struct {
	Key   string
	Value any
}

// Beside is several structs written as one mapping, as Into reads them.
type Beside []any

// Leaf is one scalar or list with its path and its value as written.
type Leaf struct{ Path, Value string }

// Marshal writes a struct by its tags, so that Into reads the same back. Nil
// pointers, nil lists and empty strings are left out, for absent; maps are
// written by key. The bytes are the same for the same values.
func Marshal(v any) []byte {
	var b strings.Builder
	tree(reflect.ValueOf(v)).write(&b, 0)
	return []byte(b.String())
}

// Leaves returns what Marshal would write as paths with values, in its order.
func Leaves(v any) []Leaf { return tree(reflect.ValueOf(v)).leaves("", nil) }

// node is a scalar (or a list of them) as text, or a mapping.
type node struct {
	text    string
	members []member
}

type member struct {
	key  string
	node *node
}

// tree builds what is to be written; nil means absent.
func tree(v reflect.Value) *node {
	if v.CanInterface() {
		if w, ok := v.Interface().(Writer); ok {
			return tree(reflect.ValueOf(w.WriteYAML()))
		}
	}
	switch v.Kind() {
	case reflect.Invalid:
		return nil
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return tree(v.Elem())
	case reflect.Struct:
		return structure(v)
	case reflect.Map:
		return mapping(v)
	case reflect.Slice:
		return sequence(v)
	}
	if s := scalar(v); s != "" {
		return &node{text: s}
	}
	return nil
}

func structure(v reflect.Value) *node {
	n := &node{}
	for i := range v.NumField() {
		if name := v.Type().Field(i).Tag.Get("yaml"); name != "" {
			n.add(name, tree(v.Field(i)))
		}
	}
	return n
}

func mapping(v reflect.Value) *node {
	if v.IsNil() {
		return nil
	}
	n := &node{}
	byName := map[string]reflect.Value{}
	for it := v.MapRange(); it.Next(); {
		byName[it.Key().String()] = it.Value()
	}
	for _, k := range slices.Sorted(maps.Keys(byName)) {
		n.add(k, tree(byName[k]))
	}
	return n
}

// sequence writes a list of scalars in one line, or pairs as a mapping.
func sequence(v reflect.Value) *node {
	if parts, ok := v.Interface().(Beside); ok {
		n := &node{}
		for _, p := range parts {
			n.members = append(n.members, tree(reflect.ValueOf(p)).members...)
		}
		return n
	}
	if pairs, ok := v.Interface().(Pairs); ok {
		n := &node{}
		for _, p := range pairs {
			n.add(p.Key, tree(reflect.ValueOf(p.Value)))
		}
		return n
	}
	if v.IsNil() {
		return nil
	}
	items := make([]string, v.Len())
	for i := range items {
		if items[i] = scalar(v.Index(i)); items[i] == "" {
			items[i] = `""`
		}
	}
	return &node{text: "[" + strings.Join(items, ", ") + "]"}
}

func (n *node) add(key string, child *node) {
	if child != nil {
		n.members = append(n.members, member{key, child})
	}
}

func (n *node) write(b *strings.Builder, depth int) {
	for _, m := range n.members {
		b.WriteString(strings.Repeat("  ", depth) + key(m.key) + ":")
		switch {
		case m.node.text != "":
			b.WriteString(" " + m.node.text + "\n")
		case len(m.node.members) == 0:
			b.WriteString(" {}\n")
		default:
			b.WriteByte('\n')
			m.node.write(b, depth+1)
		}
	}
}

func (n *node) leaves(path string, out []Leaf) []Leaf {
	if n.text != "" || len(n.members) == 0 {
		text := n.text
		if text == "" {
			text = "{}"
		}
		return append(out, Leaf{path, text})
	}
	for _, m := range n.members {
		out = m.node.leaves(join(path, m.key), out)
	}
	return out
}
