package report

import "github.com/loopwatch/loopwatch/pkg/events"

// resume lifts the halts that an operator's act names, as the engine does: of a
// run or a task any, of a wider scope those of operators. What was granted adds
// to the limits. A run that is over already stays as it was booked.
func (c *Collector) resume(o *events.Operator) {
	s := o.Scope
	for id, r := range c.runs {
		if r.state == nil || r.haltedBy == "" && !r.greeted ||
			s.Tenant != "" && s.Tenant != id.Tenant || s.Agent != "" && s.Agent != r.agent ||
			s.Task != "" && s.Task != id.Task || s.Run != "" && s.Run != id.Run {
			continue
		}
		if s.Run == "" && s.Task == "" && r.haltedBy != operator {
			continue
		}
		r.haltedBy, r.carried, r.greeted = "", false, false
		g := &r.state.Granted
		g.MaxTurns += o.Add.MaxTurns
		g.MaxCostUSD += o.Add.MaxCostUSD
		g.MaxWallClockMS += o.Add.MaxWallClockMS
		g.MaxTokens += o.Add.MaxTokens
	}
}
