package detectors

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Param describes one parameter of a detector to the policy, the
// documentation and the command line.
type Param struct {
	Name    string // as in policies
	Type    string // int, float, bool or string
	Default string // value in the detector asked, as a policy would write it
	Bound   string // "lo..hi" with both ends allowed, "a|b" for words, empty for none
	Doc     string // what it sets, its unit and what zero means
}

// Params lists the parameters of d in the order of its fields: the exported
// ones with a yaml tag.
func Params(d Detector) []Param {
	var out []Param
	each(d, func(f reflect.StructField, v reflect.Value) {
		out = append(out, Param{
			Name: f.Tag.Get("yaml"), Type: typeName(v.Kind()), Default: fmt.Sprint(v.Interface()),
			Bound: f.Tag.Get("bound"), Doc: f.Tag.Get("doc"),
		})
	})
	return out
}

// Check reports every parameter of d outside the bound its tag states, joined
// and named as in policies; nil when all fit.
func Check(d Detector) error {
	var faults []error
	each(d, func(f reflect.StructField, v reflect.Value) {
		if err := within(v, f.Tag.Get("bound")); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", f.Tag.Get("yaml"), err))
		}
	})
	return errors.Join(faults...)
}

// each visits the parameters of a detector, a struct or a pointer to one.
func each(d Detector, visit func(reflect.StructField, reflect.Value)) {
	v := reflect.Indirect(reflect.ValueOf(d))
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Tag.Get("yaml") != "" {
			visit(f, v.Field(i))
		}
	}
}

func typeName(k reflect.Kind) string {
	switch k {
	case reflect.Float64:
		return "float"
	case reflect.Int64:
		return "int"
	}
	return k.String()
}

// within judges one value by the bound of its tag.
func within(v reflect.Value, bound string) error {
	if bound == "" {
		return nil
	}
	if v.Kind() == reflect.String {
		if words := strings.Split(bound, "|"); !slices.Contains(words, v.String()) {
			return fmt.Errorf("%q is none of %s", v.String(), strings.Join(words, ", "))
		}
		return nil
	}
	lo, hi, _ := strings.Cut(bound, "..")
	var x float64
	switch {
	case v.CanFloat():
		x = v.Float()
	case v.CanInt():
		x = float64(v.Int())
	}
	switch low, high := limit(lo, math.Inf(-1)), limit(hi, math.Inf(1)); {
	case math.IsNaN(x):
		return errors.New("is not a number")
	case x < low:
		return fmt.Errorf("%v is below %s", v.Interface(), lo)
	case x > high:
		return fmt.Errorf("%v is above %s", v.Interface(), hi)
	}
	return nil
}

// limit reads one end of a bound; a bound that cannot be read is a mistake in
// this package, told by its tests.
func limit(s string, open float64) float64 {
	if s == "" {
		return open
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("detectors: bound " + strconv.Quote(s) + " is no number")
	}
	return x
}
