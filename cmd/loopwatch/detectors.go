package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/loopwatch/loopwatch/pkg/detectors"
)

type detectorsCmd struct {
	Name string `arg:"" optional:"" help:"Detector to explain; default all in a line each."`
}

// Run explains the detectors and their parameters.
func (c detectorsCmd) Run(io streams) error {
	w := tabwriter.NewWriter(io.out, 0, 4, 2, ' ', 0)
	if c.Name == "" {
		for _, s := range detectors.Registry() {
			fmt.Fprintf(w, "%s\t%s\n", s.Name, s.Doc)
		}
		return w.Flush()
	}
	s, ok := detectors.Lookup(c.Name)
	if !ok {
		return exit{exitUsage, fmt.Errorf("no detector is named %s: loopwatch detectors lists them", c.Name)}
	}
	fmt.Fprintf(io.out, "%s: %s\n", s.Name, s.Doc)
	if s.Text {
		fmt.Fprintln(io.out, "It reads text: weakened where events carry hashes instead (content: hash).")
	}
	fmt.Fprintln(io.out)
	fmt.Fprintln(w, "PARAMETER\tTYPE\tDEFAULT\tBOUND\tMEANING")
	for _, p := range detectors.Params(s.New()) {
		fmt.Fprintf(w, "%s\t%s\t%v\t%s\t%s\n", p.Name, p.Type, p.Default, p.Bound, p.Doc)
	}
	return w.Flush()
}
