package actions

import (
	"math"
	"time"

	"github.com/loopwatch/loopwatch/internal/strictyaml"
	"github.com/loopwatch/loopwatch/pkg/detectors"
)

// document is a policy as it is written. Its tags are the schema: what reads,
// checks, writes and documents the file goes by them.
type document struct {
	Name      string          `yaml:"name" doc:"what the policy is called, in controls and on the command line"`
	Extends   string          `yaml:"extends" doc:"preset that the rest of the file changes; without it, what the file does not say is as in default, and detectors it does not mention are off"`
	Memory    int             `yaml:"memory" bound:"16..4096" doc:"distinct calls and results remembered of a run, exactly"`
	Identity  identity        `yaml:"identity" doc:"when two calls are the same call"`
	Replay    string          `yaml:"replay" bound:"none|listed|reads|all" doc:"which duplicate calls may be answered with their first result: of tools listed with replay: true, also of tools declared effect: read, or all"`
	Ladder    ladder          `yaml:"ladder" doc:"how an incident is answered, rung by rung"`
	Control   time.Duration   `yaml:"control_ttl" bound:"1s..24h" doc:"how long a control message stays valid"`
	Lost      time.Duration   `yaml:"lost_after" bound:"1m..720h" doc:"time without events after which a run counts as lost"`
	Resend    time.Duration   `yaml:"resend_after" bound:"1s..1h" doc:"time after which an unacknowledged halt is sent again, at most three times"`
	Holdout   holdout         `yaml:"holdout" doc:"tasks that are left without help, so that reports can tell what the interventions do"`
	Observe   observation     `yaml:"observation" doc:"how observations are worded"`
	Detectors ruleSet         `yaml:"detectors" doc:"what is looked for, and with which parameters"`
	Tools     map[string]tool `yaml:"tools" doc:"what is known of single tools, by name"`
}

// identity says when two calls are the same call.
type identity struct {
	LowerStrings  bool     `yaml:"lower_strings" doc:"strings are compared without regard to case"`
	UpperFields   []string `yaml:"upper_fields" doc:"fields whose strings are upper-cased before comparing, at any depth"`
	Collapse      string   `yaml:"collapse" bound:"single_line|all" doc:"in which strings a run of white space counts as one blank"`
	FloatDecimals int      `yaml:"float_decimals" bound:"0..15" doc:"decimals to which numbers with a fraction are rounded; 0 for the exact value"`
	Narration     []string `yaml:"narration" doc:"top-level arguments that narrate and do not identify"`
}

// ladder is the wire form of Ladder: evidence in whole steps.
type ladder struct {
	Rungs        []string `yaml:"rungs" bound:"inject|escalate|halt" doc:"what is done, one rung after the other; a halt has an escalation beside it"`
	Incidents    string   `yaml:"incidents" bound:"run|cause" doc:"whether a run has one open incident, to which whatever is futile belongs, or one for each cause"`
	Observations int      `yaml:"observations" bound:"0..100" doc:"observations a run gets at most"`
	NextAfter    steps    `yaml:"next_after" doc:"futile steps after a rung at which the next is taken"`
	Spread       int      `yaml:"spread" bound:"0..1000" doc:"calls since the rung after which one futile step less suffices; 0 for never"`
	SlowFactor   int      `yaml:"slow_factor" bound:"1..100" doc:"multiplies next_after for kinds that show over many turns"`
	Weak         steps    `yaml:"weak" doc:"futile steps that a failure, or an answer of known lines only, counts as while an incident is open"`
	Hard         steps    `yaml:"hard" doc:"futile steps besides restated text without which that text ends no run; 0 for none"`
	Talk         steps    `yaml:"talk" doc:"turns without a call at which the next rung is taken when there is nothing but such turns. Only with hard"`
	Calm         int      `yaml:"calm" bound:"0..1000" doc:"steps without evidence after which a run counts as recovered; 0 for never"`
	SlowCalm     int      `yaml:"slow_calm" bound:"0..1000" doc:"the same for kinds that show over many turns"`
	Density      density  `yaml:"density" doc:"speaks when many of the last steps were futile, for whatever causes"`
}

type density struct {
	Steps int   `yaml:"steps" bound:"1..64" doc:"how many of the last steps are judged together"`
	Need  steps `yaml:"need" doc:"futile steps among them at which to speak; 0 for never"`
}

// holdout is the wire form of Holdout.
type holdout struct {
	Share     float64  `yaml:"share" bound:"0..1" doc:"share of tasks, chosen by a hash of tenant and task, in which detectors only log, with reason holdout; 0 for none"`
	Detectors []string `yaml:"detectors" doc:"which detectors; empty for all but budget, which is never held out"`
}

type observation struct {
	Variant string `yaml:"variant" bound:"a|b|split" doc:"a says what happened and then what remains, b says what is known and then asks what is missing; split gives each to half of the tasks, chosen by a second hash of tenant and task"`
}

// tool is what a policy says of one tool.
type tool struct {
	Effect   string     `yaml:"effect" bound:"read|write|unknown" doc:"what the tool does to the world, above what runs declare"`
	Polls    *bool      `yaml:"polls" doc:"calling it again and again is its use"`
	Identity []string   `yaml:"identity" doc:"the only top-level arguments that count; empty for all"`
	Volatile []string   `yaml:"volatile" doc:"fields of its results whose values are ignored"`
	Replay   bool       `yaml:"replay" doc:"a duplicate may be answered from its first result"`
	Exempt   *exemption `yaml:"exempt" doc:"withholds findings about it until a date"`
}

type exemption struct {
	Owner     string   `yaml:"owner" doc:"who answers for it"`
	Reason    string   `yaml:"reason" doc:"why"`
	Expires   date     `yaml:"expires" doc:"day from which it no longer holds (00:00 UTC), or an RFC 3339 time"`
	Detectors []string `yaml:"detectors" doc:"for which detectors; absent for all"`
}

// steps is evidence in futile steps, sixths allowed; held in sixths.
type steps int

// maxSteps bounds evidence thresholds.
const maxSteps = 1000

// ReadYAML implements strictyaml.Reader.
func (s *steps) ReadYAML(v strictyaml.Value) {
	x, ok := v.Number()
	switch {
	case !ok:
	case x < 0 || x > maxSteps:
		v.Fault("%v is outside 0..%d", x, maxSteps)
	case math.Abs(x*detectors.Whole-math.Round(x*detectors.Whole)) > 0.05: // two decimals are enough to tell
		v.Fault("%v is no multiple of a sixth, such as 0.33, 0.5 or 0.67", x)
	default:
		*s = steps(math.Round(x * detectors.Whole))
	}
}

// WriteYAML implements strictyaml.Writer.
func (s steps) WriteYAML() any { return math.Round(float64(s)*100/detectors.Whole) / 100 }

// YAMLType implements strictyaml.Typed.
func (*steps) YAMLType() string { return "number of steps, sixths allowed" }

// date is a day or a time.
type date time.Time

// ReadYAML implements strictyaml.Reader.
func (d *date) ReadYAML(v strictyaml.Value) {
	s, ok := v.Text()
	if !ok {
		return
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			*d = date(t.UTC())
			return
		}
	}
	v.Fault("%q is no date such as 2027-01-31", s)
}

// YAMLType implements strictyaml.Typed.
func (*date) YAMLType() string { return "date" }

// WriteYAML implements strictyaml.Writer.
func (d date) WriteYAML() any {
	t := time.Time(d)
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}
