package processor

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopwatch/loopwatch/internal/report"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// observe counts a committed batch. What was logged before a crash was counted
// then, or is lost to the counter; neither it nor the events up to there are
// counted twice.
func (m *Metrics) observe(batch []*work) {
	for _, w := range batch {
		switch {
		case w.msg.IsGap() || w.again():
		case w.reject != nil:
			m.rejected.WithLabelValues(m.sets.rejects.label(string(w.reject.Reason))).Inc()
		default:
			m.event(w)
		}
	}
}

// again reports whether the event was applied before: the decision log holds
// decisions of later ones.
func (w *work) again() bool {
	return w.owner.logged.covers(actions.Position{Stream: w.owner.stream.Created.UnixMilli(), Seq: w.msg.Seq})
}

func (m *Metrics) event(w *work) {
	if w.result.Order == state.Duplicate {
		return
	}
	e := &w.event
	m.events.WithLabelValues(m.sets.kinds.label(string(e.Kind))).Inc()
	m.ages.heard(m.source(e), w.msg.Stored)
	switch {
	case e.Ack != nil:
		m.acks.WithLabelValues(m.sets.outcomes.label(string(e.Ack.Outcome))).Inc()
		if w.result.Waited > 0 {
			observe(m.waited, w.result.Waited, e.Run)
		}
	case e.End != nil:
		m.closed.WithLabelValues(m.sets.agents.label(e.Agent), m.sets.statuses.label(string(e.End.Status))).Inc()
	}
	for i := range w.out {
		if !w.out[i].old {
			m.decision(w, &w.out[i].decision)
		}
	}
	for _, l := range w.result.Lost {
		m.closed.WithLabelValues(m.sets.agents.label(l.Agent), lost).Inc()
	}
	m.resent.Add(float64(len(w.result.Resend)))
	m.saved(w.saved)
}

func (m *Metrics) saved(s report.Saved) {
	m.turns.Add(s.Turns)
	m.cost.Add(s.USD)
}

// source is where an event comes from, for the age of the last one.
func (m *Metrics) source(e *events.Event) string {
	if e.Kind.Ours() {
		return ours
	}
	return m.sets.agents.label(e.Agent)
}

func (m *Metrics) decision(w *work, d *actions.Decision) {
	detector := m.sets.detectors.label(d.Detector)
	m.findings.WithLabelValues(detector, mode(d.Reason)).Inc()
	if d.Reason != actions.Acted {
		m.withheld.WithLabelValues(m.sets.reasons.label(string(d.Reason))).Inc()
		return
	}
	m.controls.WithLabelValues(m.sets.controls.label(string(d.Kind)), detector).Inc()
	observe(m.delay, w.logged.Sub(w.msg.Stored), d.Target.Run)
	if d.Detector == "halt_ignored" {
		m.ignored.Inc()
	}
	if d.First {
		fired := m.fired.WithLabelValues(m.sets.agents.label(d.Agent), detector)
		fired.(prometheus.ExemplarAdder).AddWithExemplar(1, exemplar(d.Target.Run))
	}
	if w.event.Kind == events.ToolCall || w.event.Kind == events.ToolResult {
		m.repeats.WithLabelValues(m.sets.tools.label(d.Evidence.Tool)).Inc()
	}
}

// observe adds a duration with the run it is of.
func observe(h prometheus.Histogram, d time.Duration, run string) {
	h.(prometheus.ExemplarObserver).ObserveWithExemplar(max(d, 0).Seconds(), exemplar(run))
}

// exemplar names a run, nil where its name is too long to be one.
func exemplar(run string) prometheus.Labels {
	if len("run")+len(run) > prometheus.ExemplarMaxRunes {
		return nil
	}
	return prometheus.Labels{"run": run}
}

func (m *Metrics) mismatch() { m.mismatches.Inc() }
func (m *Metrics) rebuilt()  { m.rebuilds.Inc() }

// checked counts a check, and how long it took where it was answered.
func (m *Metrics) checked(decision string) {
	m.checks.WithLabelValues(m.sets.rulings.label(decision)).Inc()
}

func (m *Metrics) answered(w *work, r actions.Ruling, now time.Time) {
	m.checked(string(r))
	observe(m.asked, now.Sub(w.msg.Stored), w.event.Run)
}

// standing sets what is known of the partitions after a commit.
func (m *Metrics) standing(all []standing) {
	var sum state.Census
	for _, s := range all {
		for i, n := range s.census.Runs {
			sum.Runs[i] += n
		}
		sum.Escalated += s.census.Escalated
	}
	for stage, g := range m.runs {
		g.Set(float64(sum.Runs[stage]))
	}
	m.escalations.Set(float64(sum.Escalated))
	m.owned.Set(float64(len(all)))
}

// seen sets what a look at the bus found.
func (m *Metrics) seen(s sight, blind bool) {
	var lag uint64
	for _, w := range s.waiting {
		lag += w.behind
	}
	if s.bus == nil {
		m.lag.Set(float64(lag))
	}
	m.blind.Set(0)
	if blind {
		m.blind.Set(1)
	}
}
