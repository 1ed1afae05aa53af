package detectors

import (
	"fmt"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Budget watches what a run consumes. Its bounds are those of the policy; the
// effective one is the smaller of the policy's and the run's own, plus what
// operators added. Each dimension is a cause of its own.
//
// It warns once a dimension reaches its share of the bound, or when the cost of
// the next turns would pass it. It informs people once when the cost passes
// the bound only with the worst case of turns that reported none. It halts when
// the reported figure reaches the bound, and for turns when the round after
// the last allowed one opens. What an incident has already led to is not said
// again; without a bound it says nothing.
type Budget struct {
	MaxTurns       int     `yaml:"max_turns" bound:"0..1000000" doc:"rounds a run may take; 0 for no bound"`
	MaxCostUSD     float64 `yaml:"max_cost_usd" bound:"0..1000000" doc:"US dollars a run may cost; 0 for no bound"`
	MaxWallClockMS int64   `yaml:"max_wall_clock_ms" bound:"0..31536000000" doc:"milliseconds a run may take on its workers' clocks; 0 for no bound"`
	MaxTokens      int64   `yaml:"max_tokens" bound:"0..1000000000000" doc:"input and output tokens a run may use; 0 for no bound"`
	WarnAt         float64 `yaml:"warn_at" bound:"0.1..1" doc:"share of a bound at which the run is told; 1 for not before the bound"`
	UnknownCostUSD float64 `yaml:"unknown_cost_usd" bound:"0..10000" doc:"worst case in US dollars of a turn that reported no cost: it warns and informs people, it never halts; 0 for nothing"`
	ProjectTurns   int     `yaml:"project_turns" bound:"0..1000" doc:"the run is told already when its cost, with the growth seen so far, passes the bound within so many further turns; 0 for no projection"`
}

// NewBudget returns the parameters of the default policy: no bounds of its
// own, a warning at four fifths of the run's.
func NewBudget() Budget { return Budget{WarnAt: 0.8, ProjectTurns: 3} }

// Validate reports every parameter out of bounds.
func (d Budget) Validate() error { return Check(d) }

// verdict is what one dimension says about itself.
type verdict struct {
	dimension string
	act       Act // ByLadder where there is nothing to say
	what      string
}

// Detect implements Detector. Of several dimensions the gravest speaks.
func (d Budget) Detect(w state.View, _ *events.Event) (Finding, bool) {
	var worst verdict
	for _, v := range [...]verdict{d.turns(w), d.cost(w), d.clock(w), d.tokens(w)} {
		if v.act > worst.act && !told(w, v) {
			worst = v
		}
	}
	if worst.act == ByLadder {
		return Finding{}, false
	}
	return Finding{
		Cause: causeOfName("budget", worst.dimension), Weight: Whole, Act: worst.act,
		Evidence: Evidence{
			Count: w.Usage.Turns, Since: max(w.Window.Round.Number, 1), Events: trail(w.Cur.Ref),
			What: worst.what, Advice: "What is left is best spent on finishing, or on saying what is missing.",
		},
	}, true
}

// told reports whether the dimension's incident has already led to the act.
func told(w state.View, v verdict) bool {
	cause := causeOfName("budget", v.dimension)
	return w.Ledger.Open(func(in *state.Incident) bool {
		return in.Cause == cause && in.Rung >= int(v.act)
	}) != nil
}

// share judges a figure that has reached part of its bound.
func (d Budget) share(used, bound float64) Act {
	switch {
	case bound <= 0:
		return ByLadder
	case used >= bound:
		return Stop
	case used >= d.WarnAt*bound:
		return Warn
	}
	return ByLadder
}

func (d Budget) turns(w state.View) verdict {
	v := verdict{dimension: "turns"}
	used, bound := w.Usage.Turns, smaller(d.MaxTurns, w.Limits.MaxTurns, w.Granted.MaxTurns)
	if v.act = d.share(float64(used), float64(bound)); v.act == Stop && used == bound {
		v.act = Warn
	}
	if v.act != ByLadder {
		v.what = fmt.Sprintf("has taken %d of its %s", used, countOf(bound, "turn"))
	}
	return v
}

func (d Budget) clock(w state.View) verdict {
	used, bound := w.Clock.Elapsed, smaller(d.MaxWallClockMS, w.Limits.MaxWallClockMS, w.Granted.MaxWallClockMS)
	v := verdict{dimension: "wall_clock", act: d.share(float64(used), float64(bound))}
	if v.act != ByLadder {
		v.what = fmt.Sprintf("has run for %s of its %s", span(used), span(bound))
	}
	return v
}

func (d Budget) tokens(w state.View) verdict {
	used, bound := w.Usage.Tokens(), smaller(d.MaxTokens, w.Limits.MaxTokens, w.Granted.MaxTokens)
	v := verdict{dimension: "tokens", act: d.share(float64(used), float64(bound))}
	if v.act != ByLadder {
		v.what = fmt.Sprintf("has used %d of its %d tokens", used, bound)
	}
	return v
}

// smaller returns the smaller bound of two, plus what was granted; 0 means
// none.
func smaller[N int | int64 | float64](policy, own, granted N) N {
	switch {
	case policy == 0 && own == 0:
		return 0
	case policy == 0 || own > 0 && own < policy:
		return own + granted
	}
	return policy + granted
}

// span says milliseconds in the words of a duration, to the second.
func span(ms int64) string {
	return (time.Duration(ms) * time.Millisecond).Truncate(time.Second).String()
}
