package eval

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/detectors"
)

// Variant is a policy that differs from another in one parameter.
type Variant struct {
	Param string // detector.parameter or ladder.key
	Value string
	set   func(*actions.Policy)
}

// Apply returns a copy of p with the variant's value.
func (v Variant) Apply(p *actions.Policy) *actions.Policy {
	q := *p
	q.Rules = slices.Clone(p.Rules)
	v.set(&q)
	return &q
}

// Variants returns the neighbours of a policy: every whole-number parameter of
// its enforced detectors and of its ladder, a step down and a step up. A step
// is a tenth of the value, at least one, and evidence moves by a futile step.
// Values out of bounds are left out, and parameters at 0, which is off.
func Variants(p *actions.Policy) []Variant {
	var out []Variant
	for i := range p.Rules {
		if r := &p.Rules[i]; r.Mode == actions.Enforce {
			out = append(out, ofDetector(i, r)...)
		}
	}
	return append(out, ofLadder(p)...)
}

func ofDetector(rule int, r *actions.Rule) []Variant {
	var out []Variant
	typ := reflect.TypeOf(r.Detector)
	for f := range typ.NumField() {
		v := reflect.ValueOf(r.Detector).Field(f)
		if !v.CanInt() || v.Int() == 0 {
			continue
		}
		step := max(1, v.Int()/10)
		for _, x := range []int64{v.Int() - step, v.Int() + step} {
			varied := reflect.New(typ).Elem()
			varied.Set(reflect.ValueOf(r.Detector))
			varied.Field(f).SetInt(x)
			d := varied.Interface().(detectors.Detector)
			if d.Validate() != nil {
				continue
			}
			out = append(out, Variant{
				Param: r.Spec.Name + "." + typ.Field(f).Tag.Get("yaml"), Value: strconv.FormatInt(x, 10),
				set: func(p *actions.Policy) { p.Rules[rule].Detector = d },
			})
		}
	}
	return out
}

func ofLadder(p *actions.Policy) []Variant {
	var out []Variant
	for _, k := range []struct {
		name string
		unit int
		of   func(*actions.Ladder) *int
	}{
		{"observations", 1, func(l *actions.Ladder) *int { return &l.Observations }},
		{"next_after", detectors.Whole, func(l *actions.Ladder) *int { return &l.NextAfter }},
		{"spread", 1, func(l *actions.Ladder) *int { return &l.Spread }},
		{"slow_factor", 1, func(l *actions.Ladder) *int { return &l.SlowFactor }},
		{"weak", 1, func(l *actions.Ladder) *int { return &l.Weak }},
		{"hard", detectors.Whole, func(l *actions.Ladder) *int { return &l.Hard }},
		{"talk", detectors.Whole, func(l *actions.Ladder) *int { return &l.Talk }},
		{"calm", 1, func(l *actions.Ladder) *int { return &l.Calm }},
		{"slow_calm", 1, func(l *actions.Ladder) *int { return &l.SlowCalm }},
		{"density.steps", 1, func(l *actions.Ladder) *int { return &l.DensitySteps }},
		{"density.need", detectors.Whole, func(l *actions.Ladder) *int { return &l.DensityNeed }},
	} {
		have := *k.of(&p.Ladder)
		if have == 0 {
			continue
		}
		step := max(k.unit, have/10/k.unit*k.unit)
		for _, x := range []int{have - step, have + step} {
			if x <= 0 {
				continue
			}
			out = append(out, Variant{
				Param: "ladder." + k.name, Value: inUnits(x, k.unit),
				set: func(p *actions.Policy) { *k.of(&p.Ladder) = x },
			})
		}
	}
	return out
}

// inUnits says evidence in futile steps, as policies write it.
func inUnits(x, unit int) string { return strconv.FormatFloat(float64(x)/float64(unit), 'g', 4, 64) }
