package report

import (
	"time"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/stats"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Bounds of what is remembered of one run.
const (
	maxPrices   = 64 // turns whose price is known before their round opens
	maxClasses  = 64 // kinds of repeated answers
	maxAttempts = 32 // interventions
	maxTools    = 64
)

// run is what the reports need of one run, and its state while it is live.
type run struct {
	id      state.RunID
	agent   string
	state   *state.Run // nil while the run is closed
	startID string     // event that opened it last

	lastID   []byte // its memory is used again
	lastKind events.Kind
	lastMS   int64

	turn     turn
	turns    int // finished ones
	cost     stats.Line
	tokens   stats.Line
	spent    float64
	used     int64
	unpriced int

	tools   map[string]int        // calls
	classes map[classID]*runClass // repeated answers
	weather map[features.Hash]weather

	attempts []attempt
	told     bool // by a detector of repetition
	held     bool // would have been told, but for the holdout
	haltedBy string
	greeted  bool // was halted when it began
	carried  bool // another run's halt reached it
	fired    string
	firedMS  int64
	blocker  events.Blocker
}

// turn is the model response under way with what it led to.
type turn struct {
	round   int
	cost    float64
	priced  bool
	tokens  int64
	counted bool // tokens are known
	repeats []classID
	fresh   bool // something came back that was no repeat
}

// weather is a failure of the infrastructure that a tool met last.
type weather struct {
	class features.Hash
	count int
}

// begin makes the run live, with nothing remembered.
func (r *run) begin(memory int) {
	*r = run{
		id: r.id, agent: r.agent, state: state.NewRun(r.id, r.agent, memory),
		tools: map[string]int{}, classes: map[classID]*runClass{}, weather: map[features.Hash]weather{},
	}
}

// price notes what the turn under way cost.
func (r *run) price(e *events.Event) {
	t := e.Turn
	if e.Round != r.turn.round {
		return // a late word of an earlier turn
	}
	if t.CostUSD != nil {
		r.turn.cost, r.turn.priced = *t.CostUSD, true
	}
	if t.Usage != nil {
		r.turn.tokens, r.turn.counted = t.Usage.InputTokens+t.Usage.OutputTokens, true
	}
}

func (r *run) called(call *events.Call) {
	if _, known := r.tools[call.Tool]; known || len(r.tools) < maxTools {
		r.tools[call.Tool]++
	}
}

// wasted reports whether all that came back in the turn was a repeat.
func (t *turn) wasted() bool { return len(t.repeats) > 0 && !t.fresh }

// endTurn books the turn under way.
func (c *Collector) endTurn(r *run) {
	t := &r.turn
	if t.round == 0 {
		return
	}
	r.turns++
	n := float64(r.turns)
	if t.priced {
		r.cost.Add(n, t.cost)
		r.spent += t.cost
	} else {
		r.unpriced++
	}
	if t.counted {
		r.tokens.Add(n, float64(t.tokens))
		r.used += t.tokens
	}
	if t.wasted() {
		share := 1 / float64(len(t.repeats))
		for _, id := range t.repeats {
			if k := r.classes[id]; k != nil {
				k.turns += share
				k.usd += t.cost * share
			}
		}
	}
	r.judge(t, c.opts.Within)
	t.round = 0
}

// close books the run as it ended.
func (c *Collector) close(r *run, status string, ms int64) {
	c.endTurn(r)
	r.over(status)
	if c.in(ms) {
		c.count.Runs++
		if status == "live" {
			c.count.Live++
		}
		c.span(ms)
		c.tools.add(r, status)
		c.attempts.add(r)
		c.savings.add(r, status)
		if status == string(events.Blocked) {
			c.blocked.add(r)
		}
		if status != "live" {
			c.rates.closed(r.agent, ms)
		}
	}
	if r.fired != "" && c.in(r.firedMS) {
		c.rates.fired(r.agent, r.fired, r.firedMS)
	}
	r.state, r.tools, r.classes, r.weather, r.attempts = nil, nil, nil, nil, nil
}

func (c *Collector) span(ms int64) {
	t := time.UnixMilli(ms).UTC()
	if c.count.From.IsZero() || t.Before(c.count.From) {
		c.count.From = t
	}
	if t.After(c.count.To) {
		c.count.To = t
	}
}

// decided notes what a decision means for the run.
func (c *Collector) decided(r *run, m *actions.Message) {
	acted := m.Reason == actions.Acted
	own := m.Event == string(r.lastID)
	greeting := own && r.lastKind == events.RunStart && m.Evidence.Count == 0 && m.Kind == actions.HaltRun
	switch {
	case m.Detector == operator:
		if acted && m.Kind == actions.HaltRun {
			r.haltedBy = operator
		}
		return
	case acted && greeting:
		r.greeted = true
		return
	case acted && !own:
		r.carried = r.carried || m.Kind == actions.HaltRun
		if m.Kind == actions.HaltRun {
			r.haltedBy = m.Detector
		}
		return
	case !own:
		return
	}
	if acted && r.fired == "" {
		r.fired, r.firedMS = m.Detector, r.lastMS
	}
	if acted && m.Kind == actions.HaltRun {
		r.haltedBy = m.Detector
	}
	if m.Detector == budget || m.Kind == actions.Escalate || !acted && m.Reason != actions.HeldOut {
		return
	}
	r.told = r.told || acted && m.Kind == actions.Inject
	r.held = r.held || !acted
	r.attempt(m)
}

// Detectors that find no repetition.
const (
	operator = "operator"
	budget   = "budget"
)
