package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/internal/eval"
)

type evalCmd struct {
	Policy  []string `help:"Policy files or presets; several are measured side by side." default:"default" placeholder:"FILE|PRESET"`
	Labels  string   `help:"Labels of recorded runs." placeholder:"FILE"`
	Cases   []string `help:"Case files to run instead of, or beside, recorded runs." placeholder:"FILE"`
	Verbose bool     `short:"v" help:"List every run on which policy and reader differ."`
	Output  string   `short:"o" help:"Output format." enum:"table,json" default:"table"`
	Files   []string `arg:"" optional:"" help:"Trace files that hold the labelled runs." name:"file"`
}

// measured is what one policy did.
type measured struct {
	Policy  string                `json:"policy"`
	All     eval.Group            `json:"all"`
	Sources map[string]eval.Group `json:"sources,omitempty"`
	First   map[string]eval.Group `json:"first_detector,omitempty"`
	Runs    []eval.Verdict        `json:"runs,omitempty"`
	Cases   []eval.Outcome        `json:"cases,omitempty"`
}

// Run measures and prints; a case that comes out wrong is no failure.
func (c *evalCmd) Run(ios streams) error {
	if c.Labels == "" && len(c.Cases) == 0 || c.Labels != "" && len(c.Files) == 0 {
		return exit{exitUsage, errors.New("say what to measure on: --labels FILE with trace files, or --cases FILE")}
	}
	var all []measured
	for _, name := range c.Policy {
		m, err := c.measure(name, ios)
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	if c.Output == "json" {
		if err := json.MarshalWrite(ios.out, all, jsontext.WithIndent("  "), json.Deterministic(true)); err != nil {
			return err
		}
		_, err := fmt.Fprintln(ios.out)
		return err
	}
	return c.print(all, ios)
}

func (c *evalCmd) measure(name string, ios streams) (measured, error) {
	p, err := load(name)
	if err != nil {
		return measured{}, err
	}
	m := measured{Policy: p.Ref()}
	if c.Labels != "" {
		f, err := os.Open(c.Labels)
		if err != nil {
			return m, err
		}
		defer func() { _ = f.Close() }()
		labels, err := eval.ReadLabels(f, c.Labels)
		if err != nil {
			return m, err
		}
		m.Runs, err = eval.Labels(p, labels, c.Files, ios.in, func(n int) { fmt.Fprintf(ios.err, "\r%s: %d events", p.Ref(), n) })
		fmt.Fprintln(ios.err)
		if err != nil {
			return m, err
		}
		m.All = eval.Sum(m.Runs)
		m.Sources = group(m.Runs, func(v eval.Verdict) string { return v.Source })
		m.First = group(m.Runs, func(v eval.Verdict) string { return v.Detector })
		delete(m.First, "")
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

func (c *evalCmd) print(all []measured, ios streams) error {
	w := tabwriter.NewWriter(ios.out, 0, 4, 2, ' ', 0)
	if c.Labels != "" {
		fmt.Fprintln(w, "POLICY\tOF\tLOOPS HINTED\tPRODUCTIVE HINTED\tHALTED\tBORDERLINE HINTED\tDELAY\tSTOPPED\tRANDOM HINTED")
		for _, m := range all {
			row(w, m.Policy, "all", m.All)
			for _, s := range slices.Sorted(maps.Keys(m.Sources)) {
				row(w, "", s, m.Sources[s])
			}
			for _, d := range slices.Sorted(maps.Keys(m.First)) {
				row(w, "", "first "+d, m.First[d])
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, m := range all {
		if c.Verbose {
			differing(m, ios)
		}
		cases(m, ios)
	}
	return nil
}

func row(w *tabwriter.Writer, policy, of string, g eval.Group) {
	fmt.Fprintf(w, "%s\t%s\t%d/%d\t%d/%d\t%d\t%d/%d\t%d, p90 %d\t%d/%d\t%d/%d, %d loops\n", policy, of, g.LoopsHinted, g.Loops,
		g.ProductiveHinted, g.Productive, g.ProductiveHalted, g.BorderlineHinted, g.Borderline, g.DelayMedian, g.DelayP90,
		g.Stopped, g.Deserving, g.RandomHinted, g.Random, g.RandomTP)
}

// differing lists the runs on which policy and reader differ.
func differing(m measured, ios streams) {
	for _, v := range m.Runs {
		switch {
		case v.Label == eval.Loop && !v.Hinted:
			fmt.Fprintf(ios.out, "missed  %s  %s\n", v.Run, v.Why)
		case v.Label == eval.Productive && v.Hinted:
			fmt.Fprintf(ios.out, "alarm   %s  %s at %d  %s\n", v.Run, v.Detector, v.Seq, v.Why)
		case v.Deserves && !v.Halted:
			fmt.Fprintf(ios.out, "lived   %s  hinted by %s, not halted\n", v.Run, v.Detector)
		}
	}
}

// cases lists the cases that came out wrong.
func cases(m measured, ios streams) {
	if len(m.Cases) == 0 {
		return
	}
	right := 0
	for _, o := range m.Cases {
		if o.Right {
			right++
			continue
		}
		did := strings.Join(o.Did, " ")
		if did == "" {
			did = "silent"
		}
		fmt.Fprintf(ios.out, "wrong   %s  %s  (%s)\n", o.Case, o.Title, did)
	}
	fmt.Fprintf(ios.out, "%s: %d of %d cases right\n", m.Policy, right, len(m.Cases))
}
