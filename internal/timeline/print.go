package timeline

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Print writes a timeline: one line an event, with the code of its call and the
// numbers of the incidents that rest on it, and below it what was decided.
func Print(out io.Writer, entries []Entry) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "SEQ\tROUND\tCALL\tEVIDENCE\t")
	for i := range entries {
		e := &entries[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s%s\n", number(e.Seq), number(uint64(max(e.Round, 0))), e.Code, marks(e.Evidence), arrow(e), e.Text) //nolint:gosec // not below 0
		for _, d := range e.Decisions {
			fmt.Fprintf(w, "\t\t\t#%d\t   └ %s\n", d.Number, decided(d))
		}
	}
	return w.Flush()
}

// arrow tells calls from what comes back.
func arrow(e *Entry) string {
	switch e.Kind {
	case events.ToolCall:
		return "→ "
	case events.ToolResult:
		return "← "
	}
	return ""
}

// decided says a verdict, and of a control whether it was obeyed.
func decided(d Decision) string {
	s := d.Detector + " "
	switch {
	case d.Reason != actions.Acted:
		s += "withheld: " + string(d.Reason)
	case d.Kind == actions.Escalate:
		s += "escalate"
	case d.Outcome == "":
		s += string(d.Kind) + ", not acknowledged"
	default:
		s += string(d.Kind) + ", " + string(d.Outcome)
	}
	line, _, _ := strings.Cut(d.Summary, "\n")
	return s + ": " + line
}

func marks(numbers []int) string {
	var out []string
	for _, n := range numbers {
		out = append(out, "#"+strconv.Itoa(n))
	}
	return strings.Join(out, " ")
}

func number(n uint64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}
