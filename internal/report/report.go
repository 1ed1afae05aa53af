package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// Report is what a collector has summed up. A part that was not asked for is
// nil.
type Report struct {
	Counted       Counted        `json:"counted"`
	Tools         *Tools         `json:"tools,omitzero"`
	Interventions *Interventions `json:"interventions,omitzero"`
	Savings       *Savings       `json:"savings,omitzero"`
	Rates         *Rates         `json:"rates,omitzero"`
	Blocked       *Blocked       `json:"blocked,omitzero"`
}

// Names are the reports, as they are asked for.
func Names() []string { return []string{"tools", "interventions", "savings", "rates", "blocked"} }

// Partial says that the oldest events were no longer stored.
func (c *Collector) Partial() { c.count.Partial = true }

// Finish closes what is left and returns the whole report. Runs without a
// run_end are live, or lost where they were silent too long before the newest
// event. The collector must not be fed afterwards.
func (c *Collector) Finish() Report {
	ids := slices.SortedFunc(maps.Keys(c.runs), func(a, b state.RunID) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Run, b.Run))
	})
	for _, id := range ids {
		r := c.runs[id]
		switch {
		case r.state == nil:
		case c.newest-r.lastMS > lostAfter.Milliseconds():
			c.close(r, "lost", r.lastMS+lostAfter.Milliseconds())
		default:
			c.close(r, "live", r.lastMS)
		}
	}
	tools, attempts, savings := c.tools.result(), c.attempts.result(c.opts.Within), c.savings.result()
	rates, blocked := c.rates.result(), c.blocked.result()
	return Report{
		Counted: c.count, Tools: &tools, Interventions: &attempts, Savings: &savings, Rates: &rates, Blocked: &blocked,
	}
}

// Only returns the report with one part, or all of it for "all". It reports
// whether there is such a part.
func (r Report) Only(name string) (Report, bool) {
	out := Report{Counted: r.Counted}
	switch name {
	case "all":
		return r, true
	case "tools":
		out.Tools = r.Tools
	case "interventions":
		out.Interventions = r.Interventions
	case "savings":
		out.Savings = r.Savings
	case "rates":
		out.Rates = r.Rates
	case "blocked":
		out.Blocked = r.Blocked
	default:
		return out, false
	}
	return out, true
}
