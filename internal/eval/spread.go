package eval

import (
	"maps"
	"slices"

	"github.com/loopwatch/loopwatch/pkg/actions"
)

// Spread says how much a policy's figures hang on its thresholds.
type Spread struct {
	Base     Group     `json:"base"`
	Variants []Moved   `json:"variants"`
	LeftOut  []LeftOut `json:"left_out"`
}

// Moved is what one variant reaches.
type Moved struct {
	Param string `json:"param"`
	Value string `json:"value"`
	Group Group  `json:"group"`
}

// LeftOut is a source judged with thresholds that were chosen on all others.
type LeftOut struct {
	Source  string   `json:"source"`
	Changed []string `json:"changed"` // parameters for which the others chose another value than the policy's
	Chosen  Group    `json:"chosen"`  // what the choice reaches on the source
	Base    Group    `json:"base"`    // what the policy reaches on it
}

// SpreadOf measures every variant of a policy, and for every source the policy
// that the other sources would have chosen: of each parameter the value that is
// best on them, the policy's own where it is as good. tell is told how many of
// how many measurements are made; nil is never called.
func SpreadOf(c *Corpus, p *actions.Policy, tell func(n, of int)) (Spread, error) {
	variants := Variants(p)
	sources := c.sources()
	of, n := 1+len(variants)+len(sources), 0
	measure := func(q *actions.Policy) ([]Verdict, error) {
		all, err := c.Measure(q)
		if n++; tell != nil {
			tell(n, of)
		}
		return all, err
	}
	base, err := measure(p)
	if err != nil {
		return Spread{}, err
	}
	out := Spread{Base: Sum(base)}
	results := make([][]Verdict, len(variants))
	for i, v := range variants {
		if results[i], err = measure(v.Apply(p)); err != nil {
			return Spread{}, err
		}
		out.Variants = append(out.Variants, Moved{Param: v.Param, Value: v.Value, Group: Sum(results[i])})
	}
	for _, source := range sources {
		chosen, changed := choose(p, base, variants, results, source)
		all, err := measure(chosen)
		if err != nil {
			return Spread{}, err
		}
		out.LeftOut = append(out.LeftOut, LeftOut{
			Source: source, Changed: changed,
			Chosen: Sum(only(all, source)), Base: Sum(only(base, source)),
		})
	}
	return out, nil
}

// choose sets every parameter as is best on all sources but one.
func choose(p *actions.Policy, base []Verdict, variants []Variant, results [][]Verdict, without string) (*actions.Policy, []string) {
	best, reached := map[string]int{}, map[string]int{}
	own := score(Sum(but(base, without)))
	for i, v := range variants {
		least, ok := reached[v.Param]
		if !ok {
			least = own
		}
		if got := score(Sum(but(results[i], without))); got > least {
			best[v.Param], reached[v.Param] = i, got
		}
	}
	changed := slices.Sorted(maps.Keys(best))
	for i, param := range changed {
		v := variants[best[param]]
		p = v.Apply(p)
		changed[i] = param + ": " + v.Value
	}
	return p, changed
}

// score weighs what a policy reaches: a productive run that is hinted costs
// four loops, one that is halted eight.
func score(g Group) int {
	return 2*g.LoopsHinted + g.Stopped - 8*g.ProductiveHinted - 16*g.ProductiveHalted
}

func (c *Corpus) sources() []string {
	set := map[string]bool{}
	for run := range c.seen {
		set[c.labels[run].Source] = true
	}
	return slices.Sorted(maps.Keys(set))
}

func only(all []Verdict, source string) []Verdict {
	return filter(all, func(v Verdict) bool { return v.Source == source })
}

func but(all []Verdict, source string) []Verdict {
	return filter(all, func(v Verdict) bool { return v.Source != source })
}

func filter(all []Verdict, keep func(Verdict) bool) []Verdict {
	var out []Verdict
	for _, v := range all {
		if keep(v) {
			out = append(out, v)
		}
	}
	return out
}
