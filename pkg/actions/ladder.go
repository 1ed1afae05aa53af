package actions

import (
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Found is a finding with the rule that made it.
type Found struct {
	detectors.Finding
	Rule *Rule
}

// Decide answers the findings of one event of a run, in the order given, and
// keeps the run's ledger. Every finding gets exactly one verdict with its
// reason; a halt brings an escalation beside it. It is a pure function of the
// ledger, the view and the findings.
func (p *Policy) Decide(w state.View, found []Found) []Decision {
	d := decider{policy: p, run: w.Run, ledger: &w.Run.Ledger}
	d.weigh(found)
	acting, held := d.lead(found, false), d.lead(found, true)
	for _, at := range []int{acting, held} {
		if at >= 0 {
			d.judge(&found[at])
		}
	}
	for i := range found {
		f, lead := &found[i], acting
		if d.held(f) {
			lead = held
		}
		switch {
		case i == lead:
		case lead >= 0 && d.joins(f):
			d.second(f)
		default:
			d.judge(f)
		}
	}
	d.settle(found)
	return d.out
}

type decider struct {
	policy *Policy
	run    *state.Run
	ledger *state.Ledger
	spoke  bool // an observation or a halt was decided on this event
	out    []Decision
}

// judge gives one finding its verdict.
func (d *decider) judge(f *Found) {
	exempt := d.exempt(f)
	quiet := f.Rule.Mode == ShadowMode || exempt
	in := d.match(f, quiet)
	fresh := in == nil
	switch {
	case d.ledger.Halt.Active():
		d.withhold(f, in, Stopped)
		return
	case fresh && !d.ready(f):
		d.withhold(f, nil, Weak)
		return
	case fresh:
		in = d.open(f, quiet)
	}
	switch {
	case exempt:
		d.withhold(f, in, Exempt)
	case fresh:
		d.climb(f, in)
	default:
		d.book(f, in)
		if d.due(f, in) {
			d.climb(f, in)
		} else {
			d.withhold(f, in, Cooldown)
		}
	}
}

// match finds the open incident a finding belongs to.
func (d *decider) match(f *Found, shadow bool) *state.Incident {
	held := !shadow && d.held(f)
	return d.ledger.Open(func(in *state.Incident) bool {
		if in.Shadow != shadow || in.Held != held {
			return false
		}
		if d.joins(f) {
			return in.Detector != budgetDetector
		}
		return in.Cause == f.Cause && in.Detector == f.Detector
	})
}

// budgetDetector has incidents of its own: a spent budget is no loop.
const budgetDetector = "budget"

// ready reports whether the evidence suffices to open an incident.
func (d *decider) ready(f *Found) bool {
	if f.Need == 0 || f.Rule.Mode == ShadowMode {
		return true
	}
	a := d.ledger.Accounts.Get(f.Cause)
	return a != nil && a.Weight >= f.Need || f.Ground == detectors.Acts && d.dense(f.Weight)
}

func (d *decider) open(f *Found, shadow bool) *state.Incident {
	first, since := f.first(), f.Evidence.Since
	if a := d.ledger.Accounts.Get(f.Cause); f.Need > 0 && a != nil && !a.First.IsZero() {
		first, since = a.First, a.Round
	}
	return d.ledger.Begin(state.Incident{
		ID: IncidentID(d.run.ID, f.Detector, first), Detector: f.Detector, Cause: f.Cause,
		Tool: f.Evidence.Hash, First: first, Since: since, Slow: f.Slow, Words: f.Ground != detectors.Acts, Shadow: shadow,
		Held: !shadow && d.held(f),
	})
}

// due reports whether an open incident takes its next rung.
func (d *decider) due(f *Found, in *state.Incident) bool {
	if f.Act != detectors.ByLadder {
		return rungOf(f.Act) != "" && in.Rung < int(f.Act)
	}
	l := d.policy.Ladder
	if f.Ground != detectors.Acts && in.Hard < l.Hard {
		return f.Ground == detectors.Talk && in.After >= l.Talk
	}
	need := d.next(in, f.Slow)
	if l.Spread > 0 && !f.Slow && int(d.run.Window.CallNo-in.CallNo) >= l.Spread {
		need -= detectors.Whole
	}
	return in.After >= need
}

// next returns the evidence at which an incident takes its next rung; slow says
// that the evidence at hand is of a slow kind.
func (d *decider) next(in *state.Incident, slow bool) int {
	need := d.policy.Ladder.NextAfter
	if (in.Slow || slow) && d.policy.Ladder.SlowFactor > 1 {
		need *= d.policy.Ladder.SlowFactor
	}
	return need
}

// climb takes the incident's next rung.
func (d *decider) climb(f *Found, in *state.Incident) {
	rung, last := d.rung(f, in)
	if last {
		d.withhold(f, in, Finished)
		return
	}
	if rung == RungInject && d.spoke && !in.Held {
		d.covered(f, in)
		return
	}
	in.Rung++
	if f.Act != detectors.ByLadder {
		in.Rung = int(f.Act)
	}
	in.After, in.CallNo = 0, d.run.Window.CallNo
	if in.Shadow {
		d.emit(f, in, kindOf(rung), Shadow)
		return
	}
	if in.Held {
		d.emit(f, in, kindOf(rung), HeldOut)
		return
	}
	switch rung {
	case RungInject:
		if d.ledger.Observations >= d.policy.Ladder.Observations {
			d.withhold(f, in, Spent)
			return
		}
		d.ledger.Observations++
		d.emit(f, in, Inject, Acted)
	case RungEscalate:
		d.emit(f, in, Escalate, Acted)
	case RungHalt:
		d.emit(f, in, HaltRun, Acted)
		d.emit(f, in, Escalate, Acted)
	}
	d.spoke = d.spoke || rung != RungEscalate
}

// covered lets another finding of the same event speak for this incident: the
// rung counts as taken, so that the next occurrence goes on from there.
func (d *decider) covered(f *Found, in *state.Incident) {
	in.Rung++
	in.After, in.CallNo = 0, d.run.Window.CallNo
	d.withhold(f, in, Superseded)
}

// rung returns the rung to take next; last says that there is none.
func (d *decider) rung(f *Found, in *state.Incident) (r Rung, last bool) {
	if f.Act != detectors.ByLadder {
		return rungOf(f.Act), false
	}
	rungs := f.Rule.Rungs
	if rungs == nil {
		rungs = d.policy.Ladder.Rungs
	}
	if in.Rung >= len(rungs) {
		return "", true
	}
	return rungs[in.Rung], false
}

func rungOf(a detectors.Act) Rung {
	switch a {
	case detectors.Warn:
		return RungInject
	case detectors.Inform:
		return RungEscalate
	case detectors.Stop:
		return RungHalt
	}
	return ""
}

func kindOf(r Rung) Kind {
	switch r {
	case RungInject:
		return Inject
	case RungHalt:
		return HaltRun
	}
	return Escalate
}

// held reports whether the finding is one of a detector that only logs in this
// task. Its incidents go their way as if it acted, so that both groups are
// judged alike up to the first rung.
func (d *decider) held(f *Found) bool {
	return f.Rule.Mode == Enforce && d.policy.Holds(d.run.ID.TaskID(), f.Detector)
}

func (d *decider) exempt(f *Found) bool {
	t, ok := d.policy.Tools[f.Evidence.Tool]
	if !ok || t.Exempt == nil {
		return false
	}
	if !t.Exempt.Expires.IsZero() && d.run.StoredMS >= t.Exempt.Expires.UnixMilli() {
		return false
	}
	if len(t.Exempt.Detectors) == 0 {
		return true
	}
	for _, n := range t.Exempt.Detectors {
		if n == f.Detector {
			return true
		}
	}
	return false
}

// withhold records why a finding was not acted on. It is logged when the
// reason changes within its incident; a finding without an incident only
// counts.
func (d *decider) withhold(f *Found, in *state.Incident, why Reason) {
	d.ledger.Withheld++
	if in == nil || in.Reason == string(why) {
		return
	}
	in.Reason = string(why)
	d.add(f, in, "", why)
}

func (d *decider) emit(f *Found, in *state.Incident, k Kind, why Reason) {
	if why == Shadow && in.Reason == string(Shadow)+string(k) {
		d.ledger.Withheld++
		return
	}
	in.Reason = string(why)
	if why == Shadow {
		in.Reason += string(k)
	}
	d.add(f, in, k, why)
}

func (d *decider) add(f *Found, in *state.Incident, k Kind, why Reason) {
	cur := &d.run.Cur
	dec := Decision{
		Target: d.run.ID, Agent: d.run.Agent, Kind: k, Detector: in.Detector, Reason: why,
		Incident: in.ID, Rung: in.Rung, Cause: cur.Ref, Round: cur.Round,
		TimeMS: d.run.StoredMS, Evidence: f.Evidence, Log: true,
	}
	dec.Evidence.Since = in.Since
	if why == Acted {
		d.ledger.Controls++
		dec.N = d.ledger.Controls
		dec.ID = ControlID(dec.Target, k, in.Detector, in.ID, in.Rung)
		dec.Status = d.endStatus(k, in)
		dec.Options = d.options()
		dec.Facts = FactsOf(d.run, in.Since)
		d.effect(&dec)
	}
	d.out = append(d.out, dec)
}

// effect writes into the ledger what an acted decision means for the run.
func (d *decider) effect(dec *Decision) {
	l := d.ledger
	if l.Fired == "" {
		l.Fired = dec.Detector
		dec.First = true
	}
	if dec.Kind == HaltRun {
		l.Halt = state.Halt{
			Control: dec.ID, Incident: dec.Incident, Detector: dec.Detector, Rung: dec.Rung,
			EndStatus: dec.Status, Cause: dec.Cause, Round: dec.Round,
		}
	}
	if dec.Kind != Escalate {
		Await(l, dec.ID, dec.Kind, dec.TimeMS+d.policy.Control.Milliseconds())
	}
}

// Await adds a control that the worker is to acknowledge; the oldest is
// forgotten beyond state.MaxUnacked.
func Await(l *state.Ledger, id string, k Kind, expiresMS int64) {
	if len(l.Unacked) >= state.MaxUnacked {
		l.Unacked = append(l.Unacked[:0], l.Unacked[1:]...)
	}
	l.Unacked = append(l.Unacked, state.Control{ID: id, Kind: string(k), ExpiresMS: expiresMS})
}

// endStatus is the status of a halt, and on the escalation beside it the one
// the run was halted with.
func (d *decider) endStatus(k Kind, in *state.Incident) string {
	switch {
	case k == Escalate:
		return d.ledger.Halt.EndStatus
	case k != HaltRun:
		return ""
	case in.Detector == budgetDetector:
		return "halted"
	}
	return "stuck"
}
