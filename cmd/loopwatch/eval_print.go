package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/loopwatch/loopwatch/internal/eval"
	"github.com/loopwatch/loopwatch/internal/stats"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

func (c *evalCmd) print(all []measured, ios streams) error {
	w := tabwriter.NewWriter(ios.out, 0, 4, 2, ' ', 0)
	if c.Labels != "" {
		fmt.Fprintln(w, "POLICY\tOF\tLOOPS HINTED\tPRODUCTIVE HINTED\tPRODUCTIVE HALTED\tBORDERLINE HINTED\tDELAY\tDESERVING HALTED\tRANDOM HINTED")
		for _, m := range all {
			row(w, m.Policy, "all", m.All)
			for _, s := range slices.Sorted(maps.Keys(m.Sources)) {
				row(w, "", actions.Sanitise(s, 40), m.Sources[s])
			}
		}
		fmt.Fprintln(w, "\nPOLICY\tFIRST TO SPEAK\tON LOOPS\tON PRODUCTIVE\tON BORDERLINE\tPRECISION\tDELAY\t\t")
		for _, m := range all {
			for _, d := range slices.Sorted(maps.Keys(m.Detectors)) {
				first(w, m.Policy, d, m.Detectors[d])
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, m := range all {
		if c.Verbose {
			c.differing(m, ios.out)
		}
		if m.Spread != nil {
			spread(m, ios.out)
		}
		cases(m, ios.out)
	}
	return nil
}

// spread prints the thresholds that matter, and what every source gets when it
// has no say in them.
func spread(m measured, out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	same := 0
	fmt.Fprintf(w, "\n%s WITH\tLOOPS HINTED\tPRODUCTIVE HINTED\tPRODUCTIVE HALTED\tDESERVING HALTED\n", m.Policy)
	for _, v := range m.Spread.Variants {
		if alike(v.Group, m.Spread.Base) {
			same++
			continue
		}
		reached(w, v.Param+": "+v.Value, v.Group)
	}
	fmt.Fprintf(w, "%d of %d steps change nothing\t\t\t\t\n", same, len(m.Spread.Variants))
	fmt.Fprintf(w, "\nCHOSEN WITHOUT\tLOOPS HINTED\tPRODUCTIVE HINTED\tPRODUCTIVE HALTED\tDESERVING HALTED\tCHOSEN OTHERWISE\n")
	for _, l := range m.Spread.LeftOut {
		fmt.Fprintf(w, "%s\t%d/%d\t%d/%d\t%d\t%d/%d\t%s\n", actions.Sanitise(l.Source, 40), l.Chosen.LoopsHinted, l.Chosen.Loops, l.Chosen.ProductiveHinted,
			l.Chosen.Productive, l.Chosen.ProductiveHalted, l.Chosen.Stopped, l.Chosen.Deserving, dash(strings.Join(l.Changed, ", ")))
	}
	_ = w.Flush()
}

func reached(w io.Writer, what string, g eval.Group) {
	fmt.Fprintf(w, "%s\t%d/%d\t%d/%d\t%d\t%d/%d\n", what, g.LoopsHinted, g.Loops, g.ProductiveHinted, g.Productive,
		g.ProductiveHalted, g.Stopped, g.Deserving)
}

// alike reports whether two measurements found and spared the same number.
func alike(a, b eval.Group) bool {
	return a.LoopsHinted == b.LoopsHinted && a.ProductiveHinted == b.ProductiveHinted &&
		a.ProductiveHalted == b.ProductiveHalted && a.Stopped == b.Stopped
}

func row(w io.Writer, policy, of string, g eval.Group) {
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d/%d\t%d, p90 %d\t%d/%d\t%d/%d, %d of them loops\n", policy, of, atLeast(g.LoopsHinted, g.Loops),
		atMost(g.ProductiveHinted, g.Productive), atMost(g.ProductiveHalted, g.Productive), g.BorderlineHinted, g.Borderline,
		g.DelayMedian, g.DelayP90, g.Stopped, g.Deserving, g.RandomHinted, g.Random, g.RandomTP)
}

// first prints what came of the runs on which one detector spoke first. The
// precision leaves borderline runs out.
func first(w io.Writer, policy, detector string, g eval.Group) {
	fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%s\t%d, p90 %d\t\t\n", policy, detector, g.LoopsHinted, g.ProductiveHinted, g.BorderlineHinted,
		atLeast(g.LoopsHinted, g.LoopsHinted+g.ProductiveHinted), g.DelayMedian, g.DelayP90)
}

// atLeast and atMost say k of n with the end of the rate's interval, at 95 %,
// that matters: 0 of 52 is at most 6 %.
func atLeast(k, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d (≥ %.0f %%)", k, n, math.Floor(100*stats.AtLeast(k, n)))
}

func atMost(k, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d (≤ %.0f %%)", k, n, math.Ceil(100*stats.AtMost(k, n)))
}

// mostWhy is how many characters of a reader's reason are shown.
const mostWhy = 400

// differing lists the runs on which policy and reader differ, each with the
// command that shows it line by line.
func (c *evalCmd) differing(m measured, out io.Writer) {
	for _, v := range m.Runs {
		switch {
		case v.Label == eval.Loop && !v.Hinted:
			fmt.Fprintf(out, "missed  %s  %s\n", v.Run, actions.Sanitise(v.Why, mostWhy))
		case v.Label == eval.Productive && v.Hinted:
			fmt.Fprintf(out, "alarm   %s  %s at %d  %s\n", v.Run, v.Detector, v.Seq, actions.Sanitise(v.Why, mostWhy))
		case v.Deserves && !v.Halted:
			fmt.Fprintf(out, "lived   %s  hinted by %s, not halted\n", v.Run, v.Detector)
		default:
			continue
		}
		fmt.Fprintf(out, "        loopwatch show %s --policy %s --file %s\n", v.Run, m.name, v.File)
	}
}

// cases lists the cases that came out wrong.
func cases(m measured, out io.Writer) {
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
		fmt.Fprintf(out, "wrong   %s  %s  (%s)\n", o.Case, o.Title, did)
	}
	fmt.Fprintf(out, "%s: %d of %d cases right\n", m.Policy, right, len(m.Cases))
}

// differences lists what two policies answer differently.
func differences(out io.Writer, d compared) {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "\nDIFFERING\tLABEL\t%s\t%s\tNEARER TO THE READER\n", d.Policies[0].Policy, d.Policies[1].Policy)
	nearer := map[string]string{"first": d.Policies[0].Policy, "second": d.Policies[1].Policy, "": "-"}
	for _, x := range slices.Concat(d.Runs, d.Cases) {
		label := x.Label
		if label == "" {
			label = "case"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", x.Name, label, x.First, x.Second, nearer[x.Better])
	}
	_ = w.Flush()
	if len(d.Runs)+len(d.Cases) == 0 {
		fmt.Fprintln(out, "both policies answer everything alike")
	}
}
