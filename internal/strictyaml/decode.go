package strictyaml

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Into reads a mapping into the structs that targets point to, whose tagged
// fields are its keys. What the file does not mention stays as it was, so
// defaults, or a file that this one extends, are filled in first. A list
// replaces the one before, a map of structs is merged key by key.
func (v Value) Into(targets ...any) {
	if v.node == nil {
		return
	}
	fields := map[string]target{}
	var known []string
	for _, t := range targets {
		s := reflect.ValueOf(t).Elem()
		for i := range s.NumField() {
			f := s.Type().Field(i)
			if name := f.Tag.Get("yaml"); name != "" {
				fields[name] = target{s.Field(i), f.Tag.Get("bound")}
				known = append(known, name)
			}
		}
	}
	for _, m := range v.Members() {
		f, ok := fields[m.Key]
		if !ok {
			m.Value.Fault("%s", unknown(m.Key, known))
			continue
		}
		m.Value.set(f)
	}
}

// Set reads the value into what ptr points to, with a bound as in a tag.
func (v Value) Set(ptr any, bound string) { v.set(target{reflect.ValueOf(ptr).Elem(), bound}) }

// target is a settable field with its bound.
type target struct {
	reflect.Value
	bound string
}

// set reads the value into a field by the field's type.
func (v Value) set(f target) {
	if r, ok := f.Addr().Interface().(Reader); ok {
		r.ReadYAML(v)
		return
	}
	switch {
	case f.Type() == reflect.TypeFor[time.Duration]():
		v.duration(f)
		return
	case f.Kind() == reflect.Pointer:
		p := reflect.New(f.Type().Elem())
		if !f.IsNil() {
			p.Elem().Set(f.Elem())
		}
		v.set(target{p.Elem(), f.bound})
		f.Set(p)
		return
	}
	switch f.Kind() {
	case reflect.Struct:
		v.Into(f.Addr().Interface())
	case reflect.Map:
		v.entries(f)
	case reflect.Slice:
		v.list(f)
	default:
		v.scalar(f)
	}
}

func (v Value) scalar(f target) {
	switch f.Kind() {
	case reflect.Bool:
		if b, ok := v.flag(); ok {
			f.SetBool(b)
		}
	case reflect.Int, reflect.Int64:
		if n, ok := v.whole(); ok && v.within(float64(n), f.bound) {
			f.SetInt(n)
		}
	case reflect.Float64:
		if x, ok := v.Number(); ok && v.within(x, f.bound) {
			f.SetFloat(x)
		}
	case reflect.String:
		if s, ok := v.Text(); ok && v.among(s, f.bound) {
			f.SetString(s)
		}
	default:
		panic(fmt.Sprintf("strictyaml: a field of type %s cannot be read", f.Type()))
	}
}

// list reads a list of scalars; an empty one is not nil.
func (v Value) list(f target) {
	items, ok := v.items()
	if !ok {
		return
	}
	out := reflect.MakeSlice(f.Type(), len(items), len(items))
	for i, item := range items {
		item.scalar(target{out.Index(i), f.bound})
	}
	f.Set(out)
}

// entries merges a mapping of names to structs into a map of such.
func (v Value) entries(f target) {
	members := v.Members()
	if f.IsNil() {
		f.Set(reflect.MakeMap(f.Type()))
	}
	for _, m := range members {
		key := reflect.ValueOf(m.Key).Convert(f.Type().Key())
		entry := reflect.New(f.Type().Elem())
		if old := f.MapIndex(key); old.IsValid() {
			entry.Elem().Set(old)
		}
		m.Value.set(target{entry.Elem(), ""})
		f.SetMapIndex(key, entry.Elem())
	}
}

// unknown says that a key is not known, and which one may have been meant.
func unknown(key string, known []string) string {
	for _, k := range known {
		if near(key, k) {
			return "is not a known key; did you mean " + k + "?"
		}
	}
	if len(known) == 0 {
		return "is not a known key; there are none here"
	}
	slices.Sort(known)
	return "is not a known key; there are " + strings.Join(known, ", ")
}

// near reports whether a becomes b by at most two edits.
func near(a, b string) bool {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diag, row[j] = row[j], min(row[j]+1, row[j-1]+1, diag+cost)
		}
	}
	return row[len(b)] <= 2 && len(b) > 3
}
