package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// table writes named values in the order of their names.
func table(out io.Writer, head string, values map[string]float64) {
	if len(values) == 0 {
		return
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, k := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(w, "%s\t%s\t%.4g\n", head, k, values[k])
	}
	_ = w.Flush()
}
