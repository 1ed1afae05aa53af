package strictyaml

import (
	"reflect"
	"time"
)

// Field describes one key of a struct's file form.
type Field struct {
	Path  string // NAME stands for a name of the user's
	Type  string // map, list, text, number, whole number, duration, true or false, or the type's own word
	Bound string
	Doc   string
}

// Typed is a Reader that says what it reads, for the schema.
type Typed interface{ YAMLType() string }

// Schema lists the keys that Into reads into a struct of that type, the outer
// before the inner, in the order of the fields.
func Schema(v any) []Field { return schema(reflect.TypeOf(v), "", nil) }

func schema(t reflect.Type, path string, out []Field) []Field {
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("yaml")
		if name == "" {
			continue
		}
		name = join(path, name)
		ft := f.Type
		if ft.Kind() == reflect.Pointer {
			ft = ft.Elem()
		}
		out = append(out, Field{name, typeName(ft), f.Tag.Get("bound"), f.Tag.Get("doc")})
		switch {
		case special(ft):
		case ft.Kind() == reflect.Struct:
			out = schema(ft, name, out)
		case ft.Kind() == reflect.Map && ft.Elem().Kind() == reflect.Struct:
			out = schema(ft.Elem(), name+".NAME", out)
		}
	}
	return out
}

func special(t reflect.Type) bool { return reflect.PointerTo(t).Implements(reflect.TypeFor[Reader]()) }

func typeName(t reflect.Type) string {
	if typed, ok := reflect.New(t).Interface().(Typed); ok {
		return typed.YAMLType()
	}
	if t == reflect.TypeFor[time.Duration]() {
		return "duration"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "whole number"
	case reflect.Float64:
		return "number"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "list"
	}
	return "map"
}
