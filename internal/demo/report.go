package demo

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table writes the fleet as it stands, and returns how many lines it took.
func (f *Fleet) Table(out io.Writer) (int, error) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "RUN\tTURNS\tUSD\tCALLS\tEXECUTED\tTOLD\tLAST TOOL\tSTATUS")
	for _, l := range f.Lines() {
		status := l.Status
		if status == "" {
			status = "…"
		}
		if l.Detector != "" {
			status += " (" + l.Detector + ")"
		}
		fmt.Fprintf(w, "%s\t%d\t%.2f\t%d\t%d\t%d\t%s\t%s\n", l.Run, l.Turns, l.Spent, l.Calls, l.Executed, l.Observations, l.Last, status)
	}
	if err := w.Flush(); err != nil {
		return 0, err
	}
	_, err := io.WriteString(out, b.String())
	return strings.Count(b.String(), "\n"), err
}

// Totals are the sums over a fleet.
type Totals struct {
	Agents, Recovered, Halted, Blocked, Untouched, Replayed, SavedTurns int
	Spent, SavedUSD                                                     float64
}

// Totals sums up what became of the agents.
func (f *Fleet) Totals() Totals {
	var t Totals
	for _, l := range f.Lines() {
		t.Agents++
		t.Spent += l.Spent
		t.Replayed += l.Calls - l.Executed
		turns, usd := l.Saved()
		t.SavedTurns += turns
		t.SavedUSD += usd
		switch {
		case l.Detector != "":
			t.Halted++
		case l.Recovered():
			t.Recovered++
		case l.Status == "blocked":
			t.Blocked++
		case l.Observations == 0:
			t.Untouched++
		}
	}
	return t
}

// Report writes what was caught, what recovered, what was halted and what that
// saved.
func (f *Fleet) Report(out io.Writer) error {
	t := f.Totals()
	var b strings.Builder
	fmt.Fprintf(&b, "\n%d agents spent %.2f USD.\n", t.Agents, t.Spent)
	fmt.Fprintf(&b, "%d were told that they repeat themselves and found another way:\n", t.Recovered)
	for _, l := range f.Lines() {
		if l.Recovered() {
			fmt.Fprintf(&b, "  %-11s done after %d turns\n", l.Run, l.Turns)
		}
	}
	fmt.Fprintf(&b, "%d were halted:\n", t.Halted)
	for _, l := range f.Lines() {
		if l.Detector != "" {
			fmt.Fprintf(&b, "  %-11s %s\n", l.Run, l.Why)
		}
	}
	fmt.Fprintf(&b, "%d gave up properly, %d were left alone, %d repeated calls were answered without executing them.\n", t.Blocked, t.Untouched, t.Replayed)
	fmt.Fprintf(&b, "Saved: %d turns, %.2f USD, if each looping agent had gone on to its limit of %d turns\nand turn n costs %.4f + %.4f × n USD.\n",
		t.SavedTurns, t.SavedUSD, turnLimit, costOf(0), costOf(1)-costOf(0))
	_, err := io.WriteString(out, b.String())
	return err
}
