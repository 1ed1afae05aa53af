package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/trace"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/detectors"
)

var update = flag.Bool("update", false, "write the generated documents anew")

// The generated documents say what the code says. -update writes them.
func TestDocsAreGenerated(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, d := range []struct {
		file string
		make func(t *testing.T, have []byte) string
	}{
		{"README.md", readme},
		{"docs/detectors.md", detectorDoc},
		{"docs/policy.md", policyDoc},
	} {
		t.Run(d.file, func(t *testing.T) {
			path := filepath.Join(root, d.file)
			have, err := os.ReadFile(path)
			if err != nil && !*update {
				t.Fatal(err)
			}
			want := d.make(t, have)
			if *update {
				if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, string(have)); diff != "" {
				t.Errorf("out of date; go test ./cmd/loopwatch -run Docs -update writes it (-want +have):\n%s", diff)
			}
		})
	}
}

// readme fills the detector table between its marks.
func readme(t *testing.T, have []byte) string {
	const begin, end = "<!-- generated: detectors -->\n", "<!-- end -->"
	before, rest, ok := strings.Cut(string(have), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("README.md lacks the marks of its generated table")
	}
	var b strings.Builder
	b.WriteString("| detector | fires |\n|---|---|\n")
	for _, s := range detectors.Registry() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", s.Name, cell(s.Doc))
	}
	return before + begin + b.String() + end + after
}

// detectorDoc describes every detector with its parameters and the situations
// its trace tells.
func detectorDoc(t *testing.T, _ []byte) string {
	var b strings.Builder
	b.WriteString(detectorHead)
	for _, s := range detectors.Registry() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.Name, s.Doc)
		if s.Text {
			b.WriteString("\nIt reads text: weakened where events carry hashes instead (`content: hash`).\n")
		}
		if params := detectors.Params(s.New()); len(params) > 0 {
			b.WriteString("\n| parameter | type | default | bound | meaning |\n|---|---|---|---|---|\n")
			for _, p := range params {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", p.Name, p.Type, cell(p.Default), cell(p.Bound), cell(p.Doc))
			}
		}
		b.WriteString(situations(t, s.Name))
	}
	return b.String()
}

// situations lists the titles of a detector's trace.
func situations(t *testing.T, name string) string {
	path := filepath.Join("..", "..", "pkg", "detectors", "testdata", name+".trace")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sections, err := trace.Parse(name+".trace", src)
	if err != nil {
		t.Fatal(err)
	}
	var fires, silent bytes.Buffer
	for _, s := range sections {
		if len(s.Wants) > 0 {
			fmt.Fprintf(&fires, "* %s\n", s.Title)
		} else {
			fmt.Fprintf(&silent, "* %s\n", s.Title)
		}
	}
	return "\nFires:\n\n" + fires.String() + "\nStays silent:\n\n" + silent.String()
}

// policyDoc lists every key of a policy file and the presets.
func policyDoc(t *testing.T, _ []byte) string {
	var b strings.Builder
	b.WriteString(policyHead)
	b.WriteString("\n| key | type | bound | meaning |\n|---|---|---|---|\n")
	for _, k := range actions.Keys() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Path, k.Type, cell(k.Bound), cell(k.Doc))
	}
	for _, name := range actions.Presets() {
		text, ok := actions.PresetYAML(name)
		if !ok {
			t.Fatalf("preset %s has no text", name)
		}
		fmt.Fprintf(&b, "\n## Preset %s\n\n```yaml\n%s```\n", name, text)
	}
	return b.String()
}

// cell makes a text fit for a table cell.
func cell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "|", `\|`)
}

const detectorHead = `# Detectors

Generated from the registry and the traces: go test ./cmd/loopwatch -run Docs -update.

A detector is a pure function of the run's window with the event already applied. Its exported fields are its parameters;
it keeps nothing of its own. The order below is the order in which findings are judged.

## Adding one

1. A file in pkg/detectors: a struct whose fields are the parameters (tags yaml, bound, doc), value receivers Detect and
   Validate, and a doc comment that says when it fires and when it does not.
2. A line in registry.go.
3. A trace in pkg/detectors/testdata/NAME.trace with sections that fire and sections that stay silent. A detector without
   one, or one that never fires, fails the build.

Then this page, the README's table, loopwatch detectors and the policy's keys follow by themselves.
`

const policyHead = `# Policy

Generated from the schema and the presets: go test ./cmd/loopwatch -run Docs -update.

A policy is one YAML file, read strictly: unknown keys, wrong types and values out of bounds are all reported at once,
with line and bound (loopwatch policy check FILE). A file may name a preset in extends and override parts of it. The
parameters of the detectors are in [detectors.md](detectors.md); each detector also has mode (off, shadow or enforce) and,
where its ladder is its own, rungs. Evidence is counted in futile steps; sixths are allowed, written to two decimals.
`
