package actions

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/strictyaml"
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Faults are all that is wrong with a policy file, one line each.
type Faults = strictyaml.Faults

// Parse reads a policy. It is strict: unknown keys, wrong types, values out of
// range and everything else that is wrong are reported at once, as Faults. The
// digest is the SHA-256 of the bytes as given.
func Parse(yaml []byte) (*Policy, error) {
	doc, err := readDocument(yaml)
	if err != nil {
		return nil, err
	}
	p := doc.policy()
	sum := sha256.Sum256(yaml)
	p.Digest, p.YAML = hex.EncodeToString(sum[:]), string(yaml)
	return p, nil
}

// Load returns the preset of that name, or else parses what read returns for
// it; faults carry the name as their file. The file system is the caller's.
func Load(nameOrFile string, read func(string) ([]byte, error)) (*Policy, error) {
	if _, ok := PresetYAML(nameOrFile); ok {
		return Preset(nameOrFile)
	}
	data, err := read(nameOrFile)
	if err != nil {
		return nil, err
	}
	p, err := Parse(data)
	var faults Faults
	if errors.As(err, &faults) {
		return nil, faults.In(nameOrFile)
	}
	return p, err
}

// Ref names the policy in controls: its name and the first eight hex digits of
// its digest.
func (p *Policy) Ref() string { return p.Name + "@" + p.Digest[:min(len(p.Digest), 8)] }

// readDocument reads a file over what it extends; without that, over default
// less its detectors and tools.
func readDocument(yaml []byte) (*document, error) {
	file, root := strictyaml.Open(yaml)
	from := root.Peek("extends")
	base, err := presetDocument(from)
	if err != nil {
		return nil, err
	}
	if from == "" {
		base.Detectors, base.Tools = nil, nil
	}
	return base.read(file, root)
}

// presetDocument returns what a preset says, default for any other name.
func presetDocument(name string) (*document, error) {
	yaml, ok := PresetYAML(name)
	if !ok || name == DefaultPreset {
		yaml, _ = PresetYAML(DefaultPreset)
		file, root := strictyaml.Open(yaml)
		return new(document).read(file, root)
	}
	return readDocument(yaml)
}

// read reads a file over d.
func (d *document) read(file *strictyaml.Document, root strictyaml.Value) (*document, error) {
	if root.Present() {
		d.Name = ""
		root.Into(d)
		d.check(file)
	}
	return d, file.Err()
}

func (d *document) policy() *Policy {
	p := &Policy{
		Name: d.Name, Memory: d.Memory, Fold: d.Identity.fold(), Replay: Replay(d.Replay),
		Ladder: d.Ladder.ladder(), Control: d.Control, Idle: d.Lost, Resend: d.Resend,
		Holdout: Holdout(d.Holdout), Observation: Variant(d.Observe.Variant),
		Tools: make(map[string]Tool, len(d.Tools)),
	}
	for name, t := range d.Tools {
		p.Tools[name] = t.tool()
	}
	for _, spec := range detectors.Registry() {
		r := d.Detectors[spec.Name]
		if r == nil || r.head.Mode == string(Off) {
			continue
		}
		p.Rules = append(p.Rules, Rule{
			Spec: spec, Detector: r.instance(), Mode: Mode(r.head.Mode), Rungs: rungs(r.head.Rungs),
		})
	}
	return p
}

func (i identity) fold() features.Fold {
	f := features.Fold{
		LowerStrings: i.LowerStrings, UpperFields: i.UpperFields,
		FloatDecimals: i.FloatDecimals, Narration: i.Narration,
	}
	if i.Collapse == "all" {
		f.Collapse = features.CollapseAll
	}
	return f
}

func (l ladder) ladder() Ladder {
	return Ladder{
		Rungs: rungs(l.Rungs), PerRun: l.Incidents == "run", Observations: l.Observations,
		NextAfter: int(l.NextAfter), Spread: l.Spread, SlowFactor: l.SlowFactor,
		Weak: int(l.Weak), Hard: int(l.Hard), Talk: int(l.Talk),
		Calm: l.Calm, SlowCalm: l.SlowCalm, DensitySteps: l.Density.Steps, DensityNeed: int(l.Density.Need),
	}
}

func (t tool) tool() Tool {
	out := Tool{
		Effect: events.Effect(t.Effect), Polls: t.Polls, Identity: t.Identity, Volatile: t.Volatile, Replay: t.Replay,
	}
	if x := t.Exempt; x != nil {
		out.Exempt = &Exemption{
			Owner: x.Owner, Reason: x.Reason, Expires: time.Time(x.Expires), Detectors: x.Detectors,
		}
	}
	return out
}

// rungs keeps nil for absent.
func rungs(names []string) []Rung {
	var out []Rung
	for _, n := range names {
		out = append(out, Rung(n))
	}
	return out
}
