package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/loopwatch/loopwatch/pkg/actions"
)

// shownPoints is how many of an agent's newest points a table shows.
const shownPoints = 24

// Print writes the parts that the report has as tables.
func (r Report) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	p := printer{w}
	p.counted(r.Counted)
	if r.Tools != nil {
		p.tools(r.Tools)
	}
	if r.Interventions != nil {
		p.interventions(r.Interventions)
	}
	if r.Savings != nil {
		p.savings(r.Savings)
	}
	if r.Rates != nil {
		p.rates(r.Rates)
	}
	if r.Blocked != nil {
		p.blocked(r.Blocked)
	}
	return w.Flush()
}

type printer struct{ w *tabwriter.Writer }

// row writes one line; cells are cleaned, so that a name cannot break it.
func (p printer) row(cells ...string) {
	for i, c := range cells {
		cells[i] = actions.Sanitise(c, maxExcerpt)
	}
	fmt.Fprintln(p.w, strings.Join(cells, "\t"))
}

func (p printer) title(s string) { fmt.Fprintf(p.w, "\n%s\n", s) }

func (p printer) counted(c Counted) {
	s := fmt.Sprintf("%d runs (%d live), %d events, %d decisions", c.Runs, c.Live, c.Events, c.Decisions)
	if !c.From.IsZero() {
		s += ", last heard from " + c.From.Format("2006-01-02 15:04") + " to " + c.To.Format("2006-01-02 15:04") + " UTC"
	}
	if c.Partial {
		s += "; partial: the oldest events are no longer stored"
	}
	fmt.Fprintln(p.w, s)
}

func (p printer) tools(t *Tools) {
	p.title("TOOLS that are repeated")
	p.row("TOOL", "REPEATS", "RUNS", "WASTED TURNS", "USD", "KIND", "ANSWER", "HINT", "EXAMPLE RUN")
	for _, tool := range t.Tools {
		if tool.Repeats == 0 {
			continue
		}
		p.row(tool.Tool, strconv.Itoa(tool.Repeats), share(tool.Repeating, tool.Runs), number(tool.Turns), usd(tool.USD), "", "", "", "")
		for _, a := range tool.Answers {
			p.row("", strconv.Itoa(a.Repeats), strconv.Itoa(a.Runs), number(a.Turns), usd(a.USD), a.Kind, a.Text, Hints[a.Hint], a.Example.Run)
		}
	}
}

func (p printer) interventions(t *Interventions) {
	p.title(fmt.Sprintf("INTERVENTIONS after which the repetition ended within %d turns (bounds at 95 %% each)", t.Within))
	p.row("DETECTOR", "RUNG", "KIND", "TEMPLATE", "WORDING", "MODEL", "ENDED", "BOUNDS", "OPEN", "HOLDOUT", "BOUNDS", "GAIN")
	for _, r := range t.Rows {
		gain := "-"
		if g := r.Gain; g != nil {
			gain = fmt.Sprintf("%s (%s to %s)", points(g.Value), points(g.AtLeast), points(g.AtMost))
		}
		p.row(r.Detector, strconv.Itoa(r.Rung), string(r.Kind), dash(r.Template), dash(r.Variant), dash(r.Model),
			share(r.Acted.Ended, r.Acted.Runs), bounds(r.Acted), strconv.Itoa(r.Acted.Open),
			share(r.Holdout.Ended, r.Holdout.Runs), bounds(r.Holdout), gain)
	}
}

func (p printer) savings(s *Savings) {
	p.title("SAVINGS, if each run had gone on to its own limit, as its turns grew")
	p.row("", "RUNS", "TURNS", "TOKENS", "USD", "WITHOUT PRICE")
	for _, l := range []struct {
		name string
		of   Saved
	}{{"halted", s.Halted}, {"recovered", s.Recovered}, {"total", s.Total}, {"less what ends by itself", s.Discounted}} {
		p.row(l.name, strconv.Itoa(l.of.Runs), number(l.of.Turns), number(l.of.Tokens), usd(l.of.USD), strconv.Itoa(l.of.Unpriced))
	}
	p.row("in the holdout", share(s.Holdout.Ended, s.Holdout.Runs)+" ended by themselves")
	for _, why := range slices.Sorted(maps.Keys(s.LeftOut)) {
		p.row("left out", strconv.Itoa(s.LeftOut[why]), why)
	}
}

func (p printer) rates(t *Rates) {
	p.title("RATES: runs fired / runs closed, by " + t.Bucket)
	p.row("AGENT", "TIME", "FIRED", "CLOSED", "RATE", "BY DETECTOR")
	p.row("all", "", strconv.Itoa(t.Overall.Fired), strconv.Itoa(t.Overall.Closed), percent(t.Overall.Rate), "")
	for _, a := range t.Agents {
		p.row(a.Agent, "all", strconv.Itoa(a.Total.Fired), strconv.Itoa(a.Total.Closed), percent(a.Total.Rate), counts(a.Detectors))
		for _, pt := range a.Points[max(0, len(a.Points)-shownPoints):] {
			p.row("", pt.Time.Format("01-02 15:04"), strconv.Itoa(pt.Fired), strconv.Itoa(pt.Closed), percent(pt.Rate), counts(pt.Detectors))
		}
	}
}

func (p printer) blocked(b *Blocked) {
	p.title(fmt.Sprintf("BLOCKED: %d runs gave up properly", b.Runs))
	p.row("RUNS", "BLOCKER", "NEEDS", "AGENTS", "ATTEMPTED", "EXAMPLE RUN")
	for _, g := range b.Groups {
		p.row(strconv.Itoa(g.Runs), g.Blocker, g.Needs, counts(g.Agents), counts(g.Attempted), g.Example.Run)
	}
}
