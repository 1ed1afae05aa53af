package report

import (
	"cmp"
	"slices"

	"github.com/loopwatch/loopwatch/internal/stats"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Interventions says after how many interventions the repetition ended, and
// after how many it ended where the detector only logged.
type Interventions struct {
	Within int            `json:"within_turns"`
	Rows   []Intervention `json:"rows"`
}

// Intervention is one way of intervening against one detector's findings.
type Intervention struct {
	Detector string       `json:"detector"`
	Rung     int          `json:"rung"`
	Kind     actions.Kind `json:"kind"`
	Template string       `json:"template"` // of the observation, empty for a halt
	Variant  string       `json:"variant"`  // its wording, a or b
	Model    string       `json:"model"`    // as the run declared it, empty where it did not
	Acted    Rate         `json:"acted"`
	Holdout  Rate         `json:"holdout"` // the same detector, rung, kind and model in the holdout, whatever the wording
	Gain     *Range       `json:"gain"`    // acted less holdout; nil without both
}

// Rate is k of n with the bounds that 95 % confidence leaves, each by itself.
type Rate struct {
	Runs    int     `json:"runs"`  // judged
	Ended   int     `json:"ended"` // of them with the repetition ended within the turns
	Open    int     `json:"open"`  // not judged: too few turns since, or stopped by somebody else
	Rate    float64 `json:"rate"`
	AtLeast float64 `json:"at_least"`
	AtMost  float64 `json:"at_most"`
}

// Range is a difference with its bounds: the lower bound of one less the upper
// of the other, and the other way round, so it is wide rather than wrong.
type Range struct {
	Value   float64 `json:"value"`
	AtLeast float64 `json:"at_least"`
	AtMost  float64 `json:"at_most"`
}

// attemptID tells interventions apart.
type attemptID struct {
	detector, template, variant, model string
	rung                               int
	kind                               actions.Kind
}

// attempt is one intervention on one run, or one that the holdout left out.
type attempt struct {
	id      attemptID
	held    bool
	round   int
	seen    int  // turns since
	further bool // a later rung was taken
	verdict verdict
}

type verdict uint8

const (
	undecided verdict = iota
	ended
	wentOn
)

// attempt begins to watch an intervention: the first of its detector and rung
// in the run. Every later rung says that the ones before did not help.
func (r *run) attempt(m *actions.Message) {
	held := m.Reason == actions.HeldOut
	id := attemptID{detector: m.Detector, rung: m.Rung, kind: m.Kind, model: r.state.Model}
	if m.Kind == actions.Inject {
		id.template, id.variant = "loop", string(cmp.Or(m.Variant, actions.VariantA))
		if m.Detector == "reask" {
			id.template = "reask"
		}
	}
	for i := range r.attempts {
		a := &r.attempts[i]
		if a.verdict == undecided {
			a.further = true
		}
		if a.id.detector == id.detector && a.id.rung == id.rung && a.held == held {
			return
		}
	}
	if len(r.attempts) < maxAttempts {
		r.attempts = append(r.attempts, attempt{id: id, held: held, round: r.turn.round})
	}
}

// judge lets a finished turn speak for the interventions before it.
func (r *run) judge(t *turn, within int) {
	for i := range r.attempts {
		a := &r.attempts[i]
		if a.verdict != undecided || t.round <= a.round {
			continue
		}
		if a.seen++; a.seen < within {
			continue
		}
		a.verdict = wentOn
		if !a.further && !t.wasted() && a.id.kind == actions.Inject {
			a.verdict = ended
		}
	}
}

// over judges what the end of the run leaves undecided.
func (r *run) over(status string) {
	for i := range r.attempts {
		a := &r.attempts[i]
		if a.verdict != undecided {
			continue
		}
		switch s := events.Status(status); {
		case s == events.Done || s == events.Blocked:
			a.verdict = wentOn
			if !a.further {
				a.verdict = ended
			}
		case a.id.kind == actions.HaltRun && !a.held && (s == events.Stuck || s == events.Halted):
			a.verdict = ended
		case r.haltedBy == operator || r.haltedBy == budget || r.carried || s == events.Cancelled || s == events.Halted:
		case s == events.Stuck || s == events.Failed || a.further:
			a.verdict = wentOn
		}
	}
}

// attempts are all interventions.
type attempts struct {
	acted map[attemptID]*Rate
	held  map[attemptID]*Rate
}

func (s *attempts) add(r *run) {
	for i := range r.attempts {
		a := &r.attempts[i]
		into, id := &s.acted, a.id
		if a.held {
			into, id = &s.held, id.unworded()
		}
		if *into == nil {
			*into = map[attemptID]*Rate{}
		}
		rate := (*into)[id]
		if rate == nil {
			rate = &Rate{}
			(*into)[id] = rate
		}
		switch a.verdict {
		case undecided:
			rate.Open++
		case ended:
			rate.Ended++
			rate.Runs++
		case wentOn:
			rate.Runs++
		}
	}
}

// unworded is the id without the words: the holdout was told nothing.
func (id attemptID) unworded() attemptID {
	id.template, id.variant = "", ""
	return id
}

func (s *attempts) result(within int) Interventions {
	out := Interventions{Within: within, Rows: []Intervention{}}
	met := map[attemptID]bool{}
	for id, acted := range s.acted {
		met[id.unworded()] = true
		out.Rows = append(out.Rows, row(id, *acted, s.held[id.unworded()]))
	}
	for id, held := range s.held {
		if !met[id] {
			out.Rows = append(out.Rows, row(id, Rate{}, held))
		}
	}
	slices.SortFunc(out.Rows, func(a, b Intervention) int {
		return cmp.Or(cmp.Compare(a.Detector, b.Detector), a.Rung-b.Rung, cmp.Compare(a.Template, b.Template),
			cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}

func row(id attemptID, acted Rate, held *Rate) Intervention {
	in := Intervention{
		Detector: id.detector, Rung: id.rung, Kind: id.kind, Template: id.template, Variant: id.variant, Model: id.model,
		Acted: acted.bounded(),
	}
	if held != nil {
		in.Holdout = held.bounded()
	} else {
		in.Holdout = Rate{}.bounded()
	}
	if a, h := in.Acted, in.Holdout; a.Runs > 0 && h.Runs > 0 {
		in.Gain = &Range{Value: a.Rate - h.Rate, AtLeast: a.AtLeast - h.AtMost, AtMost: a.AtMost - h.AtLeast}
	}
	return in
}

func (r Rate) bounded() Rate {
	r.Rate, r.AtLeast, r.AtMost = ratio(r.Ended, r.Runs), stats.AtLeast(r.Ended, r.Runs), stats.AtMost(r.Ended, r.Runs)
	return r
}
