package schema

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"
)

// Generator turns structs into schemas. Fill the maps before the first call.
type Generator struct {
	Comments map[string]string      // description by Type or Type.Field (Go names); see Comments
	Types    map[reflect.Type]*Node // the schema of a type that reads itself, or of a named string
	Fields   map[string]func(*Node) // what a field may hold beyond its type, by Type.json_name
	defs     map[string]*Node
	used     map[string]bool
}

// Object returns the schema of a struct from the json tags of its exported
// fields; those without omitempty or omitzero are required. Structs in its
// fields become definitions that it refers to; embedded ones are part of it.
func (g *Generator) Object(t reflect.Type) (*Node, error) {
	n := &Node{Type: "object", Description: g.Comments[t.Name()], Properties: map[string]*Node{}}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			inner, err := g.Object(f.Type)
			if err != nil {
				return nil, err
			}
			maps.Copy(n.Properties, inner.Properties)
			n.Required = append(n.Required, inner.Required...)
			continue
		}
		if name == "" || name == "-" {
			return nil, fmt.Errorf("describe %s.%s: no json name", t.Name(), f.Name)
		}
		field, err := g.node(f.Type)
		if err != nil {
			return nil, fmt.Errorf("describe %s.%s: %w", t.Name(), f.Name, err)
		}
		if f.Type.Kind() == reflect.Pointer && options == "" { // present and null where there is none
			field = &Node{AnyOf: []*Node{field, {Type: "null"}}}
		}
		field.Description = g.Comments[t.Name()+"."+f.Name]
		if amend := g.Fields[t.Name()+"."+name]; amend != nil {
			amend(field)
			g.mark(t.Name() + "." + name)
		}
		n.Properties[name] = field
		if options == "" {
			n.Required = append(n.Required, name)
		}
	}
	return n, nil
}

// Defs returns a copy of the definitions met so far, by type name.
func (g *Generator) Defs() map[string]*Node { return maps.Clone(g.defs) }

// Unused returns the keys of Fields that no field has answered to.
func (g *Generator) Unused() []string {
	var keys []string
	for key := range g.Fields {
		if !g.used[key] {
			keys = append(keys, key)
		}
	}
	return keys
}

func (g *Generator) mark(key string) {
	if g.used == nil {
		g.used = map[string]bool{}
	}
	g.used[key] = true
}

// node returns a schema that the caller may change.
func (g *Generator) node(t reflect.Type) (*Node, error) {
	if own := g.Types[t]; own != nil {
		n := *own
		return &n, nil
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &Node{Type: "string", Format: "date-time"}, nil
	case t.Kind() == reflect.Pointer:
		return g.node(t.Elem())
	case t.Kind() == reflect.Struct:
		return g.reference(t)
	case t.Kind() == reflect.Slice:
		items, err := g.node(t.Elem())
		return &Node{Type: "array", Items: items}, err
	}
	names := map[reflect.Kind]string{
		reflect.String: "string", reflect.Bool: "boolean", reflect.Float64: "number",
		reflect.Int: "integer", reflect.Int64: "integer", reflect.Uint64: "integer",
	}
	if names[t.Kind()] == "" {
		return nil, fmt.Errorf("no schema for a %s", t)
	}
	return &Node{Type: names[t.Kind()]}, nil
}

func (g *Generator) reference(t reflect.Type) (*Node, error) {
	ref := &Node{Ref: "#/$defs/" + t.Name()}
	if g.defs[t.Name()] != nil {
		return ref, nil
	}
	if g.defs == nil {
		g.defs = map[string]*Node{}
	}
	g.defs[t.Name()] = &Node{} // ends the recursion of a type that holds itself
	n, err := g.Object(t)
	g.defs[t.Name()] = n
	return ref, err
}
