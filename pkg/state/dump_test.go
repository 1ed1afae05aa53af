package state

import (
	"fmt"
	"reflect"
	"strings"
)

// dump writes every field of a value that is not zero, one a line, by its
// path: tables and rings by their entries, the oldest first.
func dump(x any) string {
	var b strings.Builder
	dumpValue(&b, "", reflect.ValueOf(x).Elem())
	return b.String()
}

func dumpValue(b *strings.Builder, path string, v reflect.Value) {
	name := v.Type().Name()
	switch {
	case strings.HasPrefix(name, "Table["):
		dumpValue(b, path+".Limit", v.FieldByName("Limit"))
		dumpValue(b, path+".Evicted", v.FieldByName("Evicted"))
		dumpTable(b, path, v)
		return
	case strings.HasPrefix(name, "Ring["):
		dumpValue(b, path+".Limit", v.FieldByName("Limit"))
		n := v.Addr().MethodByName("Len").Call(nil)[0].Int()
		for i := range n {
			at := v.Addr().MethodByName("Back").Call([]reflect.Value{reflect.ValueOf(int(n - 1 - i))})[0]
			dumpValue(b, fmt.Sprintf("%s[%d]", path, i), at.Elem())
		}
		return
	case v.IsZero():
		return
	case name == "Digest":
		fmt.Fprintf(b, "%s %v\n", path, v.Interface())
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Type.Kind() != reflect.Map && f.Name != "slots" && f.Name != "zero" {
				dumpValue(b, path+"."+f.Name, open(v.Field(i)))
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			fmt.Fprintf(b, "%s %q\n", path, v.Bytes())
			return
		}
		for i := range v.Len() {
			dumpValue(b, fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	case reflect.String:
		fmt.Fprintf(b, "%s %q\n", path, v.String())
	case reflect.Uint64:
		fmt.Fprintf(b, "%s %#x\n", path, v.Uint())
	default:
		fmt.Fprintf(b, "%s %#v\n", path, v.Interface())
	}
}

// dumpTable calls Each, whose function has a type of its own for every table.
func dumpTable(b *strings.Builder, path string, v reflect.Value) {
	each := v.Addr().MethodByName("Each")
	visit := reflect.MakeFunc(each.Type().In(0), func(in []reflect.Value) []reflect.Value {
		entry := fmt.Sprintf("%s[%#x]", path, in[0].Uint())
		fmt.Fprintf(b, "%s\n", entry)
		dumpValue(b, entry, in[1].Elem())
		return []reflect.Value{reflect.ValueOf(true)}
	})
	each.Call([]reflect.Value{visit})
}
