package actions

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/internal/strictyaml"
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// check adds the faults that no single value shows.
func (d *document) check(doc *strictyaml.Document) {
	if !validName(d.Name) {
		doc.Fault("name", "want 1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit")
	}
	if _, known := PresetYAML(d.Extends); d.Extends != "" && !known {
		doc.Fault("extends", "%q is no preset; there are %s", d.Extends, strings.Join(Presets(), ", "))
	}
	checkRungs(doc, "ladder.rungs", d.Ladder.Rungs)
	if most := steps(detectors.Whole * d.Ladder.Density.Steps); d.Ladder.Density.Need > most {
		doc.Fault("ladder.density.need", "%v is above the steps judged, %d", d.Ladder.Density.Need.WriteYAML(), d.Ladder.Density.Steps)
	}
	d.Detectors.check(doc)
	d.Holdout.check(doc)
	for _, name := range slices.Sorted(maps.Keys(d.Tools)) {
		d.Tools[name].check(doc, name)
	}
}

// check wants detectors that can be held out, each once.
func (h holdout) check(doc *strictyaml.Document) {
	for i, n := range h.Detectors {
		path := fmt.Sprintf("holdout.detectors[%d]", i)
		switch _, known := detectors.Lookup(n); {
		case !known:
			doc.Fault(path, "%q is not a known detector; there are %s", n, strings.Join(names(), ", "))
		case !mayHold(n):
			doc.Fault(path, "%s is never held out", n)
		case slices.Contains(h.Detectors[:i], n):
			doc.Fault(path, "%s occurs twice", n)
		}
	}
}

// checkRungs wants each rung once, and nothing after a halt.
func checkRungs(doc *strictyaml.Document, path string, rungs []string) {
	if rungs != nil && len(rungs) == 0 {
		doc.Fault(path, "is empty; use mode: off or mode: shadow instead")
	}
	for i, r := range rungs {
		if slices.Contains(rungs[:i], r) {
			doc.Fault(fmt.Sprintf("%s[%d]", path, i), "%s occurs twice", r)
		}
		if r == string(RungHalt) && i < len(rungs)-1 {
			doc.Fault(fmt.Sprintf("%s[%d]", path, i), "halt must be the last rung")
		}
	}
}

func (t tool) check(doc *strictyaml.Document, name string) {
	path := "tools." + name
	if name == "" || len(name) > events.MaxID {
		doc.Fault(path, "want a name of 1 to %d bytes", events.MaxID)
	}
	x := t.Exempt
	if x == nil {
		return
	}
	path += ".exempt"
	if strings.TrimSpace(x.Owner) == "" {
		doc.Fault(path+".owner", "is missing; an exemption names who answers for it")
	}
	if strings.TrimSpace(x.Reason) == "" {
		doc.Fault(path+".reason", "is missing; an exemption says why")
	}
	if time.Time(x.Expires).IsZero() {
		doc.Fault(path+".expires", "is missing; an exemption ends on a day such as 2027-01-31")
	}
	for i, n := range x.Detectors {
		if _, ok := detectors.Lookup(n); !ok {
			doc.Fault(fmt.Sprintf("%s.detectors[%d]", path, i), "%q is not a known detector; there are %s", n, strings.Join(names(), ", "))
		}
	}
}

// validName reports whether s can stand before the @ of a control's policy.
func validName(s string) bool {
	if s == "" || len(s) > 64 || strings.ContainsAny(s[:1], "._-") {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}
