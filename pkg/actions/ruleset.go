package actions

import (
	"errors"
	"reflect"
	"strings"

	"github.com/loopwatch/loopwatch/internal/strictyaml"
	"github.com/loopwatch/loopwatch/pkg/detectors"
)

// ruleSet is the detectors of a policy by name; those it lacks are off.
type ruleSet map[string]*rule

// rule is one detector as it is written: its head, and beside it the
// detector's own parameters.
type rule struct {
	head     ruleHead
	detector reflect.Value // pointer to the detector's struct
}

type ruleHead struct {
	Mode  string   `yaml:"mode" bound:"off|shadow|enforce" doc:"off is not asked, shadow is logged, enforce is acted on"`
	Rungs []string `yaml:"rungs" bound:"inject|escalate|halt" doc:"own rungs in place of the ladder's"`
}

// ReadYAML implements strictyaml.Reader.
func (s *ruleSet) ReadYAML(v strictyaml.Value) {
	if *s == nil {
		*s = ruleSet{}
	}
	for _, m := range v.Members() {
		spec, ok := detectors.Lookup(m.Key)
		if !ok {
			m.Value.Fault("is not a known detector; there are %s", strings.Join(names(), ", "))
			continue
		}
		r := (*s)[m.Key]
		if r == nil {
			r = newRule(spec)
			(*s)[m.Key] = r
		}
		m.Value.Into(&r.head, r.detector.Interface())
	}
}

// newRule returns the rule of a detector that is mentioned and nothing more.
func newRule(spec detectors.Spec) *rule {
	d := reflect.Indirect(reflect.ValueOf(spec.New()))
	p := reflect.New(d.Type())
	p.Elem().Set(d)
	return &rule{head: ruleHead{Mode: string(Enforce)}, detector: p}
}

// WriteYAML implements strictyaml.Writer: all known detectors in the order of
// the registry.
func (s ruleSet) WriteYAML() any {
	var out strictyaml.Pairs
	for _, spec := range detectors.Registry() {
		r := s[spec.Name]
		if r == nil {
			r = newRule(spec)
			r.head.Mode = string(Off)
		}
		out = append(out, strictyaml.Pair{Key: spec.Name, Value: strictyaml.Beside{r.head, r.detector.Interface()}})
	}
	return out
}

// instance returns the detector with the parameters of the rule.
func (r *rule) instance() detectors.Detector {
	return r.detector.Elem().Interface().(detectors.Detector)
}

// check adds what the detectors themselves have against their parameters.
func (s ruleSet) check(doc *strictyaml.Document) {
	for name, r := range s {
		path := "detectors." + name
		checkRungs(doc, path+".rungs", r.head.Rungs)
		for _, err := range split(r.instance().Validate()) {
			at, problem := path, err.Error()
			if field, rest, ok := strings.Cut(problem, ": "); ok && !strings.Contains(field, " ") {
				at, problem = path+"."+field, rest
			}
			doc.Fault(at, "%s", problem)
		}
	}
}

// split returns the single errors of a joined one.
func split(err error) []error {
	if err == nil {
		return nil
	}
	var many interface{ Unwrap() []error }
	if !errors.As(err, &many) {
		return []error{err}
	}
	var out []error
	for _, e := range many.Unwrap() {
		out = append(out, split(e)...)
	}
	return out
}

func names() []string {
	var out []string
	for _, s := range detectors.Registry() {
		out = append(out, s.Name)
	}
	return out
}
