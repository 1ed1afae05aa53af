package detectors

import (
	"fmt"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// cost judges the reported figure, then the worst case, then the next turns.
func (d Budget) cost(w state.View) verdict {
	v := verdict{dimension: "cost"}
	u := &w.Usage
	bound := smaller(d.MaxCostUSD, w.Limits.MaxCostUSD, w.Granted.MaxCostUSD)
	if bound <= 0 {
		return v
	}
	worst := u.CostUSD + float64(u.Unpriced)*d.UnknownCostUSD
	ahead := false
	switch v.act = d.share(u.CostUSD, bound); {
	case v.act == Stop:
	case worst >= bound:
		v.act = Inform
	case worst >= d.WarnAt*bound:
		v.act = Warn
	case d.ProjectTurns > 0 && worst+d.ahead(u, worst) >= bound:
		v.act, ahead = Warn, true
	}
	if v.act == ByLadder {
		return v
	}
	v.what = fmt.Sprintf("has cost %.2f of its %.2f USD", u.CostUSD, bound)
	if ahead {
		v.what += fmt.Sprintf(" and at this growth passes it within %s", countOf(d.ProjectTurns, "turn"))
	}
	if worst > u.CostUSD && v.act != Stop {
		v.what += fmt.Sprintf(", %.2f USD at worst with %s that reported no cost", worst, countOf(u.Unpriced, "turn"))
	}
	return v
}

// ahead estimates the cost of the next turns: input tokens grow per turn as
// they did so far and cost what they cost so far. Where no growth is known, a
// turn costs the mean.
func (d Budget) ahead(u *state.Usage, worst float64) float64 {
	n := float64(d.ProjectTurns)
	switch {
	case u.Turns < 2:
		return 0
	case u.InputTokens <= 0 || u.LastInput < u.FirstInput || u.Unpriced > 0:
		return n * worst / float64(u.Turns)
	}
	growth := float64(u.LastInput-u.FirstInput) / float64(u.Turns-1)
	return u.CostUSD / float64(u.InputTokens) * (n*float64(u.LastInput) + growth*n*(n+1)/2)
}
