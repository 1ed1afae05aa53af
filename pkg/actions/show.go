package actions

import (
	"fmt"

	"github.com/loopwatch/loopwatch/internal/strictyaml"
)

// Show writes a policy out in full: every key with the value in force, all
// known detectors, and nothing left to a preset. It reads back as the same
// policy, so it is what a fleet should be given: the text means the same to
// every version that knows its keys.
func (p *Policy) Show() ([]byte, error) {
	doc, err := readDocument([]byte(p.YAML))
	if err != nil {
		return nil, fmt.Errorf("show policy %s: %w", p.Name, err)
	}
	doc.Extends = ""
	return strictyaml.Marshal(doc), nil
}

// Diff says how policy b differs from a, one line a value: "- path: value" for
// what b lacks, "+ path: value" for what it adds, "~ path: old → new" for what
// it changes. Equal policies give none.
func Diff(a, b *Policy) ([]string, error) {
	var sides [2][]strictyaml.Leaf
	for i, p := range []*Policy{a, b} {
		doc, err := readDocument([]byte(p.YAML))
		if err != nil {
			return nil, fmt.Errorf("compare policy %s: %w", p.Name, err)
		}
		doc.Extends = ""
		sides[i] = strictyaml.Leaves(doc)
	}
	return diff(sides[0], sides[1]), nil
}

// diff goes through a in its order, then through what only b has.
func diff(a, b []strictyaml.Leaf) []string {
	now := make(map[string]string, len(b))
	for _, l := range b {
		now[l.Path] = l.Value
	}
	var out []string
	for _, l := range a {
		value, there := now[l.Path]
		switch {
		case !there:
			out = append(out, "- "+l.Path+": "+l.Value)
		case value != l.Value:
			out = append(out, "~ "+l.Path+": "+l.Value+" → "+value)
		}
		delete(now, l.Path)
	}
	for _, l := range b {
		if value, left := now[l.Path]; left {
			out = append(out, "+ "+l.Path+": "+value)
		}
	}
	return out
}

// Key describes one key of a policy file, for its documentation.
type Key struct {
	Path  string // NAME stands for a name of the user's
	Type  string
	Bound string // "lo..hi" with both ends allowed, "a|b" for words, empty for none
	Doc   string
}

// Keys returns every key of a policy file but the parameters of the detectors,
// in the order in which Show writes them.
func Keys() []Key {
	var out []Key
	for _, f := range strictyaml.Schema(document{}) {
		out = append(out, Key(f))
	}
	return out
}
