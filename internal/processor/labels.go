package processor

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// other is the label of everything outside a closed set. No name of a worker
// begins with an underscore.
const other = "_other"

// closed is a set of label values.
type closed map[string]bool

func closedOf[S ~string](names ...S) closed {
	c := closed{}
	for _, n := range names {
		c[string(n)] = true
	}
	return c
}

// label returns the name itself where the set has it.
func (c closed) label(name string) string {
	if c[name] {
		return name
	}
	return other
}

// sets are the values of each label.
type sets struct {
	agents, tools, kinds, rejects, detectors, modes, reasons, controls, outcomes, rulings, statuses closed
}

// late is the decision of a check that was not answered any more.
const late = "late"

// lost is the status of a run that said nothing for the idle time.
const lost = "lost"

func newSets(agents, tools []string) sets {
	names := []string{"operator", "halt_ignored"}
	for _, s := range detectors.Registry() {
		names = append(names, s.Name)
	}
	return sets{
		agents: closedOf(append(agents[:len(agents):len(agents)], other)...), tools: closedOf(append(tools[:len(tools):len(tools)], other)...), detectors: closedOf(names...),
		kinds: closedOf(events.RunStart, events.TurnKind, events.ToolCall, events.ToolResult, events.Said, events.RunEnd,
			events.ControlAck, events.Tick, events.OperatorAct, events.PolicyChange),
		rejects: closedOf(events.Reasons()...),
		modes:   closedOf("enforce", string(actions.Shadow), string(actions.HeldOut)),
		reasons: closedOf(actions.Shadow, actions.HeldOut, actions.Cooldown, actions.Exempt, actions.Spent, actions.Weak,
			actions.Superseded, actions.Finished, actions.Stopped),
		controls: closedOf(actions.Inject, actions.HaltRun, actions.Escalate),
		outcomes: closedOf(events.Applied, events.Ignored, events.Expired, events.Rejected, events.NotDone),
		rulings:  closedOf(string(actions.Allow), string(actions.ReplayCall), string(actions.RefuseCall), late),
		statuses: closedOf(string(events.Done), string(events.Blocked), string(events.Failed), string(events.Halted),
			string(events.Stuck), string(events.Cancelled), lost),
	}
}

// mode says how a finding with that verdict might act.
func mode(r actions.Reason) string {
	if r == actions.Shadow || r == actions.HeldOut {
		return string(r)
	}
	return "enforce"
}

// ours is the source of what loopwatch itself publishes.
const ours = "_loopwatch"

// ages says how long ago each source was last heard of. Agents of the
// allow-list are there from the start, others from their first event on.
type ages struct {
	desc *prometheus.Desc
	now  func() time.Time

	mu   sync.Mutex
	last map[string]time.Time
}

func newAges(agents closed, now func() time.Time) *ages {
	a := &ages{now: now, last: map[string]time.Time{}, desc: prometheus.NewDesc("loopwatch_last_event_age_seconds",
		"Since the newest applied event of a source was stored, or since the start: an agent of the allow-list, _other, or _loopwatch for ticks, policies and operators' acts.",
		[]string{"source"}, nil)}
	for name := range agents {
		if name != other {
			a.last[name] = now()
		}
	}
	return a
}

// heard notes an event of a source.
func (a *ages) heard(source string, stored time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if stored.After(a.last[source]) {
		a.last[source] = stored
	}
}

// Describe and Collect make it a prometheus.Collector.
func (a *ages) Describe(c chan<- *prometheus.Desc) { c <- a.desc }

// Collect sends one gauge a source.
func (a *ages) Collect(c chan<- prometheus.Metric) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for source, t := range a.last {
		c <- prometheus.MustNewConstMetric(a.desc, prometheus.GaugeValue, max(a.now().Sub(t).Seconds(), 0), source)
	}
}
