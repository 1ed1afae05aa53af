package state

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// filler sets every field of a value, unexported ones included, to something
// that is not zero and not what its neighbour has.
type filler struct {
	t    *testing.T
	rand *rand.Rand
	many int             // entries of lists, rings and tables
	skip map[string]bool // "Type.Field" of what is not stored
}

func newFiller(t *testing.T, seed uint64, many int) *filler {
	return &filler{
		t: t, rand: rand.New(rand.NewPCG(seed, 1)), many: many,
		skip: map[string]bool{"Run.Cur": true, "Run.touched": true, "Run.counted": true, "Task.touched": true, "Seen.slots": true, "Seen.zero": true},
	}
}

// fill returns a T with every stored field set.
func fill[T any](f *filler) *T {
	x := new(T)
	f.set(reflect.ValueOf(x).Elem())
	return x
}

func (f *filler) set(v reflect.Value) {
	switch name := v.Type().Name(); {
	case strings.HasPrefix(name, "Table["):
		f.table(v)
		return
	case strings.HasPrefix(name, "Ring["):
		f.ring(v)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); !f.skip[v.Type().Name()+"."+field.Name] {
				f.set(open(v.Field(i)))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 { // a text whose memory is used again
			v.SetBytes(fmt.Appendf(nil, "text-%x", 1+f.rand.Int64N(1<<40)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), f.many, f.many))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			f.set(v.Index(i))
		}
	default:
		f.scalar(v)
	}
}

func (f *filler) scalar(v reflect.Value) {
	n := 1 + f.rand.Int64N(1<<40)
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(fmt.Sprintf("text-%x", n))
	case reflect.Float64:
		v.SetFloat(float64(n) / 1000)
	case reflect.Int, reflect.Int64:
		v.SetInt(n - 1<<39 | 1)
	case reflect.Uint8:
		if v.SetUint(1); v.Type().PkgPath() == "" { // no enumeration, which may have two values only
			v.SetUint(uint64(n)&0xff | 1)
		}
	case reflect.Uint32:
		v.SetUint(uint64(uint32(n) | 1))
	case reflect.Uint64:
		v.SetUint(uint64(n)<<20 | 1)
	default:
		f.t.Fatalf("a field of type %s: teach the filler and the codec", v.Type())
	}
}

// table puts entries with hashes of their own.
func (f *filler) table(v reflect.Value) {
	v.FieldByName("Limit").SetInt(int64(f.many))
	v.FieldByName("Evicted").SetUint(7)
	for range f.many {
		h := reflect.New(v.Addr().MethodByName("Put").Type().In(0)).Elem()
		f.set(h)
		f.set(v.Addr().MethodByName("Put").Call([]reflect.Value{h})[0].Elem())
	}
}

func (f *filler) ring(v reflect.Value) {
	push := v.Addr().MethodByName("Push")
	v.FieldByName("Limit").SetInt(int64(f.many))
	for range f.many {
		x := reflect.New(push.Type().In(0)).Elem()
		f.set(x)
		push.Call([]reflect.Value{x})
	}
}

// open makes an unexported field settable.
func open(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}
