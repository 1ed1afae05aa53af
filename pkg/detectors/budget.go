package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Budget watches what a run consumes. Its bounds are those of the policy; the
// effective one is the smaller of the policy's and the run's own.
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

// Detect implements Detector.
func (d Budget) Detect(w state.View, e *events.Event) (Finding, bool) { return Finding{}, false }
