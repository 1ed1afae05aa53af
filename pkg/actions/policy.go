package actions

import (
	"time"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Mode says what becomes of a detector's findings.
type Mode string

const (
	Off        Mode = "off"    // the detector is not asked
	ShadowMode Mode = "shadow" // findings are logged, nothing is done
	Enforce    Mode = "enforce"
)

// Policy is everything a fleet decides about detection and intervention. It is
// immutable once parsed; Parse is the only way to make one.
type Policy struct {
	Name   string
	Digest string // hex SHA-256 of YAML
	YAML   string // as it was written

	Memory  int           // distinct calls and results remembered of a run
	Fold    features.Fold // how arguments are folded before comparing
	Tools   map[string]Tool
	Replay  Replay
	Ladder  Ladder
	Rules   []Rule        // detectors that are not off, in the order of the registry
	Holdout Holdout       // tasks that are left without help, to compare with
	Control time.Duration // how long a control stays valid
	Idle    time.Duration // without events after which a run is lost
	Resend  time.Duration // after which an unacknowledged halt is sent again, at most three times

	Observation Variant // wording of observations
}

// Rule is one detector as the policy sets it.
type Rule struct {
	Spec     detectors.Spec
	Detector detectors.Detector
	Mode     Mode
	Rungs    []Rung // own rungs, nil for the ladder's
}

// Tool is what the policy says of one tool.
type Tool struct {
	Effect   events.Effect
	Polls    *bool
	Identity []string
	Volatile []string
	Replay   bool // duplicates may be answered from the first result
	Exempt   *Exemption
}

// Exemption withholds a tool's findings until it expires.
type Exemption struct {
	Owner     string
	Reason    string
	Expires   time.Time
	Detectors []string // empty for all
}

// Replay says which calls may be answered with their first result instead of
// being executed.
type Replay string

const (
	ReplayNone   Replay = "none"
	ReplayListed Replay = "listed" // tools the policy lists
	ReplayReads  Replay = "reads"  // and those declared effect: read
	ReplayAll    Replay = "all"
)

// Rung is one step of the ladder.
type Rung string

const (
	RungInject   Rung = "inject"
	RungEscalate Rung = "escalate"
	RungHalt     Rung = "halt" // a halt with an escalation beside it
)

// Ladder says how an incident is answered, rung by rung.
type Ladder struct {
	Rungs        []Rung
	PerRun       bool // one open incident a run: whatever is futile while it is open belongs to it
	Observations int  // at most so many a run
	NextAfter    int  // evidence after a rung at which the next is taken, in sixths of a futile step
	Spread       int  // calls since the rung after which one futile step less suffices; 0 for never
	SlowFactor   int  // multiplies NextAfter for slow kinds
	Weak         int  // evidence a failed step, or one that showed only what was seen before, adds to an open incident, in sixths
	Hard         int  // evidence of acts, in sixths, below which words alone end no run; 0 for never
	Talk         int  // evidence, in sixths, at which turns without calls take the next rung below Hard
	Calm         int  // clean steps after which the run counts as recovered; 0 for never
	SlowCalm     int  // the same for slow kinds
	DensitySteps int  // the last steps that are judged together
	DensityNeed  int  // evidence among them at which to speak, in sixths; 0 for never
}

// Features returns the rules by which identity is judged, with the key that
// hashes are made with.
func (p *Policy) Features(key features.Key) features.Rules {
	r := features.Rules{Fold: p.Fold, Key: key, Tools: map[string]features.ToolRule{}}
	for name, t := range p.Tools {
		r.Tools[name] = features.ToolRule{Effect: effectOf(t.Effect), Polls: t.Polls, Identity: t.Identity, Volatile: t.Volatile}
	}
	return r
}

func effectOf(e events.Effect) features.Effect {
	switch e {
	case events.EffectRead:
		return features.Read
	case events.EffectWrite:
		return features.Write
	}
	return features.Unknown
}

// MayReplay reports whether a duplicate call of the tool may be answered with
// its first result: replaying must not do harm.
func (p *Policy) MayReplay(r *state.Run, tool string, hash features.Hash) bool {
	switch p.Replay {
	case ReplayAll:
		return true
	case ReplayReads:
		if t := r.Tool(hash); t != nil && t.Effect == features.Read {
			return true
		}
		return p.Tools[tool].Replay
	case ReplayListed:
		return p.Tools[tool].Replay
	}
	return false
}

// Wants reports whether the rule's detector is asked about events of a kind.
func (r *Rule) Wants(k events.Kind) bool {
	for _, w := range r.Spec.Wants {
		if w == k {
			return true
		}
	}
	return false
}
