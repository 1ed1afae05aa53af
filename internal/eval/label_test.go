package eval

import (
	"strings"
	"testing"
)

func TestLabelsAreRefused(t *testing.T) {
	const good = `{"run":"r1","label":"loop"}`
	if got, err := ReadLabels(strings.NewReader(good+"\n\n"+`{"run":"r2","label":"productive"}`), "l"); err != nil || len(got) != 2 {
		t.Fatalf("%d labels, %v", len(got), err)
	}
	for name, c := range map[string]struct{ in, want string }{
		"no JSON":             {"x", "l:1: "},
		"no run":              {good + "\n" + `{"label":"loop"}`, "l:2: want a run"},
		"no such label":       {`{"run":"r1","label":"bad"}`, "l:1: want a run"},
		"of one run, two":     {good + "\n" + `{"run":"r1","label":"productive"}`, "l:2: run r1 has a label already"},
		"a step that is none": {`{"run":"r1","label":"loop","first_seq":-1}`, "l:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ReadLabels(strings.NewReader(c.in), "l"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// A case without events would be right whatever a policy does.
func TestCasesAreRefused(t *testing.T) {
	for name, in := range map[string]string{
		"no JSON": "x", "an array": "[]", "nothing": "{}", "no name": `{"events":[{}]}`, "no events": `{"case":"a","events":[]}`,
		"an event that is none": `{"case":"a","events":[{"v":1}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Cases(preset(t, "default"), strings.NewReader(in), "c"); err == nil || !strings.Contains(err.Error(), "c:1: ") {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}
