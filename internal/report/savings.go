package report

import (
	"math"

	"github.com/loopwatch/loopwatch/internal/stats"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Savings says what the runs that were stopped or turned round did not spend:
// what each would have gone on to spend up to its own limit.
type Savings struct {
	Halted    Saved `json:"halted"`    // loops that were ended
	Recovered Saved `json:"recovered"` // loops that ended after an observation
	Total     Saved `json:"total"`

	Holdout    Own   `json:"holdout"`    // what became of loops that were left alone
	Discounted Saved `json:"discounted"` // the total, less the share that would have ended by itself as in the holdout; the total where there is no holdout

	LeftOut map[string]int `json:"left_out"` // runs that count for nothing here, by reason
}

// Saved is what was not spent.
type Saved struct {
	Runs     int     `json:"runs"`
	Turns    float64 `json:"turns"`
	Tokens   float64 `json:"tokens"`
	USD      float64 `json:"usd"`
	Unpriced int     `json:"unpriced"` // of the runs, those whose money is not known and not counted
	Untold   int     `json:"untold"`   // of the runs, those whose tokens are not known and not counted
}

// Own counts loops of the holdout that are over, and those that got out by
// themselves.
type Own struct {
	Runs  int `json:"runs"`
	Ended int `json:"ended"` // done or blocked
}

// Reasons for which a run is left out.
const (
	outBudget  = "stopped by a budget: it had reached its limit"
	outPeople  = "stopped by an operator"
	outCarried = "stopped with another run of its task, or when it began"
	outNoLimit = "has no limit of its own, so nobody knows how far it would have gone"
	outNothing = "had reached its limit already"
	outWentOn  = "was told and ended in another way"
	outLive    = "is still under way"
)

// leastPrices is how many priced turns it takes to know how a run's turns grow.
const leastPrices = 3

// mostTurns bounds how far a run is thought on.
const mostTurns = 10_000

type savings struct {
	halted, recovered Saved
	own               Own
	out               map[string]int
}

// add takes in one run: what it did not spend, or why that is not known.
func (s *savings) add(r *run, status string) {
	well := status == string(events.Done) || status == string(events.Blocked)
	if r.held && !r.told && status != "live" {
		s.own.Runs++
		if well {
			s.own.Ended++
		}
	}
	if !r.told && r.haltedBy == "" && !r.greeted {
		return
	}
	into := &s.recovered
	why := ""
	switch {
	case status == "live":
		why = outLive
	case r.greeted || r.carried:
		why = outCarried
	case r.haltedBy == operator:
		why = outPeople
	case r.haltedBy == budget:
		why = outBudget
	case r.haltedBy != "":
		into = &s.halted
	case !well:
		why = outWentOn
	}
	if why == "" {
		why = into.add(r)
	}
	if why != "" {
		if s.out == nil {
			s.out = map[string]int{}
		}
		s.out[why]++
	}
}

// add thinks a run on up to its limit and returns why that cannot be done,
// empty where it was.
func (s *Saved) add(r *run) (why string) {
	limits, granted := r.state.Limits, r.state.Granted
	maxTurns, maxUSD, maxTokens := limits.MaxTurns, limits.MaxCostUSD, limits.MaxTokens
	if maxTurns > 0 {
		maxTurns += granted.MaxTurns
	}
	if maxUSD > 0 {
		maxUSD += granted.MaxCostUSD
	}
	if maxTokens > 0 {
		maxTokens += granted.MaxTokens
	}
	price, priced := growth(&r.cost, r.turns)
	size, sized := growth(&r.tokens, r.turns)
	if maxTurns == 0 && (maxUSD == 0 || !priced) && (maxTokens == 0 || !sized) {
		return outNoLimit
	}
	end := mostTurns
	if maxTurns > 0 {
		end = min(end, maxTurns)
	}
	turns, usd, tokens := 0, 0.0, 0.0
	for n := r.turns + 1; n <= end; n++ {
		if priced && maxUSD > 0 && r.spent+usd >= maxUSD || sized && maxTokens > 0 && float64(r.used)+tokens >= float64(maxTokens) {
			break
		}
		turns++
		usd += price(n)
		tokens += size(n)
	}
	if turns == 0 {
		return outNothing
	}
	s.Runs++
	s.Turns += float64(turns)
	s.USD += usd
	s.Tokens += tokens
	if !priced {
		s.Unpriced++
	}
	if !sized {
		s.Untold++
	}
	return ""
}

// growth returns what turn n takes by a run's own line through its turns, never
// less than nothing and never falling; ok is false where too few turns said.
func growth(l *stats.Line, turns int) (at func(n int) float64, ok bool) {
	if l.N < min(leastPrices, turns) || l.N == 0 {
		return func(int) float64 { return 0 }, false
	}
	a, b := l.Fit()
	if b < 0 {
		a, b = l.Y/float64(l.N), 0
	}
	return func(n int) float64 { return math.Max(0, a+b*float64(n)) }, true
}

func (s Saved) plus(o Saved) Saved {
	return Saved{s.Runs + o.Runs, s.Turns + o.Turns, s.Tokens + o.Tokens, s.USD + o.USD, s.Unpriced + o.Unpriced, s.Untold + o.Untold}
}

func (s Saved) times(x float64) Saved {
	s.Turns, s.Tokens, s.USD = s.Turns*x, s.Tokens*x, s.USD*x
	return s
}

func (s *savings) result() Savings {
	out := Savings{Halted: s.halted, Recovered: s.recovered, Holdout: s.own, LeftOut: s.out}
	if out.LeftOut == nil {
		out.LeftOut = map[string]int{}
	}
	out.Total = s.halted.plus(s.recovered)
	out.Discounted = out.Total.times(1 - ratio(s.own.Ended, s.own.Runs))
	return out
}
