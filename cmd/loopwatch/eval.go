package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/internal/eval"
	"github.com/loopwatch/loopwatch/internal/ingest"
	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

type evalCmd struct {
	Policy  []string `help:"Policy files or presets; each is measured." default:"default" placeholder:"FILE|PRESET"`
	Compare string   `help:"A further policy, set beside the first: what both answer differently." placeholder:"FILE|PRESET"`
	Labels  string   `help:"Labels of recorded runs." placeholder:"FILE"`
	Cases   []string `help:"Case files to run instead of, or beside, recorded runs." placeholder:"FILE"`
	Spread  bool     `help:"Measure also what a step up or down of every threshold changes, and every source with thresholds chosen on the others."`
	Verbose bool     `short:"v" help:"List every run on which policy and reader differ, with the command that shows it."`
	Output  string   `short:"o" help:"Output format." enum:"table,json" default:"table"`
	Format  string   `help:"Format of the files, as for replay; default by content." placeholder:"FORMAT"`
	Files   []string `arg:"" optional:"" help:"Traces or transcripts that hold the labelled runs." name:"file"`
}

// measured is what one policy did.
type measured struct {
	Policy    string                `json:"policy"`
	All       eval.Group            `json:"all"`
	Sources   map[string]eval.Group `json:"sources,omitempty"`
	Detectors map[string]eval.Group `json:"first_detector,omitempty"`
	Runs      []eval.Verdict        `json:"runs,omitempty"`
	Cases     []eval.Outcome        `json:"cases,omitempty"`
	Spread    *eval.Spread          `json:"spread,omitempty"`

	name   string // as it was asked for
	unread int    // lines that could not be read
}

// compared is the answer with --compare.
type compared struct {
	Policies []measured        `json:"policies"`
	Runs     []eval.Difference `json:"differing_runs"`
	Cases    []eval.Difference `json:"differing_cases"`
}

// Run measures and prints; a case that comes out wrong is no failure, a line
// that cannot be read is one.
func (c *evalCmd) Run(ios streams) error {
	if c.Labels == "" && len(c.Cases) == 0 || c.Labels != "" && len(c.Files) == 0 {
		return exit{exitUsage, errors.New("say what to measure on: --labels FILE with trace files, or --cases FILE")}
	}
	if _, err := ingest.ParseFormat(c.Format); err != nil {
		return exit{exitUsage, err}
	}
	names := c.Policy
	if c.Compare != "" {
		if len(names) != 1 {
			return exit{exitUsage, errors.New("--compare: sets one policy beside one --policy, and several were named")}
		}
		names = append(names, c.Compare)
	}
	policies, err := loadAll(names)
	if err != nil {
		return err
	}
	var all []measured
	for i, p := range policies {
		m, err := c.measure(p, ios)
		if err != nil {
			return err
		}
		m.name = names[i]
		all = append(all, m)
	}
	if err := c.show(all, ios); err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(m measured) bool { return m.unread > 0 }) {
		return exit{code: exitFailed}
	}
	return nil
}

// loadAll loads every policy before any is measured, so that what is wrong
// with the last is said at once.
func loadAll(names []string) ([]*actions.Policy, error) {
	var out []*actions.Policy
	var faults []error
	for _, n := range names {
		p, err := load(n)
		if err != nil {
			faults = append(faults, err)
		}
		out = append(out, p)
	}
	if len(faults) > 0 {
		return nil, exit{exitUsage, errors.Join(faults...)}
	}
	return out, nil
}

func (c *evalCmd) show(all []measured, ios streams) error {
	var answer any = all
	var diff compared
	if c.Compare != "" {
		diff = compared{all, eval.Compare(all[0].Runs, all[1].Runs), eval.CompareCases(all[0].Cases, all[1].Cases)}
		answer = diff
	}
	if c.Output == "json" {
		if err := json.MarshalWrite(ios.out, answer, jsontext.WithIndent("  "), json.Deterministic(true)); err != nil {
			return err
		}
		_, err := fmt.Fprintln(ios.out)
		return err
	}
	if err := c.print(all, ios); err != nil {
		return err
	}
	if c.Compare != "" {
		differences(ios.out, diff)
	}
	return nil
}

func (c *evalCmd) measure(p *actions.Policy, ios streams) (measured, error) {
	m := measured{Policy: p.Ref()}
	if c.Labels != "" {
		if err := c.labels(p, &m, ios); err != nil {
			return m, err
		}
	}
	for _, file := range c.Cases {
		f, err := os.Open(file)
		if err != nil {
			return m, err
		}
		got, err := eval.Cases(p, f, file)
		_ = f.Close()
		if err != nil {
			return m, err
		}
		m.Cases = append(m.Cases, got...)
	}
	return m, nil
}

func (c *evalCmd) labels(p *actions.Policy, m *measured, ios streams) error {
	f, err := os.Open(c.Labels)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	labels, err := eval.ReadLabels(f, c.Labels)
	if err != nil {
		return err
	}
	corpus, err := eval.Read(eval.Input{
		Labels: labels, Files: c.Files, Format: ingest.Format(c.Format), Stdin: ios.in,
		Progress: func(runs int) { bar(ios.err, m.Policy, "runs", runs, len(labels)) },
		Fault: func(f replay.Fault) {
			if m.unread++; m.unread <= 5 {
				fmt.Fprintln(ios.err, "loopwatch:", f)
			}
		},
	})
	fmt.Fprintln(ios.err)
	if err != nil {
		return err
	}
	if m.Runs, err = corpus.Measure(p); err != nil {
		return err
	}
	if c.Spread {
		s, err := eval.SpreadOf(corpus, p, func(n, of int) { bar(ios.err, "spread", "policies", n, of) })
		fmt.Fprintln(ios.err)
		if err != nil {
			return err
		}
		m.Spread = &s
	}
	if n := len(labels) - len(m.Runs); n > 0 {
		fmt.Fprintf(ios.err, "%d of %d labelled runs are not in the files\n", n, len(labels))
	}
	if m.unread > 0 {
		fmt.Fprintf(ios.err, "%d lines could not be read; what they said was not measured\n", m.unread)
	}
	m.All = eval.Sum(m.Runs)
	m.Sources = group(m.Runs, func(v eval.Verdict) string { return v.Source })
	m.Detectors = group(m.Runs, func(v eval.Verdict) string { return v.Detector })
	delete(m.Detectors, "")
	return nil
}

// bar draws how much is done over itself, each step of it once.
func bar(w io.Writer, what, things string, n, of int) {
	const width = 30
	done := n * width / of
	if n > 1 && done == (n-1)*width/of {
		return
	}
	fmt.Fprintf(w, "\r%s [%s%s] %d of %d %s", what, strings.Repeat("#", done), strings.Repeat(".", width-done), n, of, things)
}

func group(all []eval.Verdict, by func(eval.Verdict) string) map[string]eval.Group {
	parts := map[string][]eval.Verdict{}
	for _, v := range all {
		parts[by(v)] = append(parts[by(v)], v)
	}
	out := map[string]eval.Group{}
	for k, v := range parts {
		out[k] = eval.Sum(v)
	}
	return out
}
