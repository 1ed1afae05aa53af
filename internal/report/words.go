package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// share says k of n with its rate.
func share(k, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d (%s)", k, n, percent(ratio(k, n)))
}

// bounds says the interval of a rate, nothing where there is none.
func bounds(r Rate) string {
	if r.Runs == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f–%.0f %%", math.Floor(100*r.AtLeast), math.Ceil(100*r.AtMost))
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 0, 64) + " %" }

// points says a difference of rates.
func points(x float64) string { return fmt.Sprintf("%+.0f", 100*x) }

// number says an amount, with a fraction only where it is small.
func number(x float64) string {
	if x != math.Trunc(x) && x < 100 {
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	s := strconv.FormatFloat(x, 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func usd(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// counts says what was counted by name, the most first.
func counts(m map[string]int) string {
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(m[b]-m[a], cmp.Compare(a, b)) })
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%s %d", n, m[n]))
	}
	return strings.Join(out, ", ")
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// span says a duration without parts that are zero.
func span(d time.Duration) string {
	s := d.String()
	if rest, ok := strings.CutSuffix(s, "m0s"); ok {
		s = rest + "m"
	}
	if rest, ok := strings.CutSuffix(s, "h0m"); ok {
		s = rest + "h"
	}
	return s
}
