package oracle

import (
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// account adds what the event says of cost, clock and the run's own limits.
func (r *run) account(e events.Event) {
	if !r.clockAt.IsZero() {
		r.clock += min(max(0, e.Time.Sub(r.clockAt)), time.Hour)
	}
	r.clockAt = e.Time
	if e.Kind == events.RunStart {
		l := e.Start.Limits
		r.maxTurns, r.maxUSD = smaller(r.maxTurns, int64(l.MaxTurns)), smaller(r.maxUSD, l.MaxCostUSD)
		r.maxMS, r.maxToks = smaller(r.maxMS, l.MaxWallClockMS), smaller(r.maxToks, l.MaxTokens)
	}
	if e.Kind == events.TurnKind && e.Origin != events.FromLoopwatch {
		if e.Turn.CostUSD != nil {
			r.costUSD += *e.Turn.CostUSD
		}
		if e.Turn.Usage != nil {
			r.tokens += e.Turn.Usage.InputTokens + e.Turn.Usage.OutputTokens
		}
	}
}

// smaller is the smaller of two bounds, where zero is none.
func smaller[N int64 | float64](a, b N) N {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// spent names the bound that is passed, or none.
func (r *run) spent() string {
	const epsilon = 1e-9
	switch {
	case int64(r.standing().Turns) > smaller(mostTurns, r.maxTurns):
		return "turns"
	case r.costUSD+epsilon >= smaller(mostUSD, r.maxUSD):
		return "cost"
	case r.clock.Milliseconds() >= smaller(mostClock.Milliseconds(), r.maxMS):
		return "clock"
	case r.maxToks > 0 && r.tokens >= r.maxToks:
		return "tokens"
	}
	return ""
}
