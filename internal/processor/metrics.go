package processor

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Metrics counts what the processor does, after the commit. Every label comes
// from a closed set: agents and tools from an allow-list, the rest is _other.
type Metrics struct {
	agents, tools map[string]bool

	events, rejected, findings, controls, acks *prometheus.CounterVec
	checks, closed, fired, repeats             *prometheus.CounterVec
	ignored, mismatches, rebuilds              prometheus.Counter
	delay                                      prometheus.Histogram
}

// NewMetrics registers the processor's metrics. agents and tools are the label
// values allowed beside _other.
func NewMetrics(reg prometheus.Registerer, agents, tools []string) *Metrics {
	m := &Metrics{agents: set(agents), tools: set(tools)}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "loopwatch", Name: name, Help: help}, labels)
		reg.MustRegister(c)
		return c
	}
	single := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: "loopwatch", Name: name, Help: help})
		reg.MustRegister(c)
		return c
	}
	m.events = counter("events_total", "Events applied, by kind.", "kind")
	m.rejected = counter("events_rejected_total", "Events sent to the dead letters, by reason.", "reason")
	m.findings = counter("findings_total", "Findings that got a logged verdict, by detector and reason.", "detector", "mode")
	m.controls = counter("controls_total", "Controls logged, by kind and detector.", "kind", "detector")
	m.acks = counter("control_acks_total", "Acknowledgements of controls, by outcome.", "outcome")
	m.checks = counter("checks_total", "Checks before dispatch, by decision; late ones were not answered.", "decision")
	m.closed = counter("runs_closed_total", "Runs that ended, by agent and status.", "agent", "status")
	m.fired = counter("runs_fired_total", "Runs with a first acted decision, by agent and detector.", "agent", "detector")
	m.repeats = counter("repeat_events_total", "Acted findings, by the tool that was repeated.", "tool")
	m.ignored = single("halts_ignored_total", "Runs whose worker acted past its halt.")
	m.mismatches = single("replay_mismatches_total", "Decisions made again that differ from the logged ones.")
	m.rebuilds = single("state_rebuilds_total", "Partitions whose state did not belong to the stream and was rebuilt.")
	m.delay = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "loopwatch", Name: "detection_delay_seconds", Help: "Event stored to decision logged.",
		Buckets: prometheus.ExponentialBuckets(0.001, 2, 15), NativeHistogramBucketFactor: 1.1,
	})
	reg.MustRegister(m.delay)
	return m
}

func set(names []string) map[string]bool {
	s := map[string]bool{}
	for _, n := range names {
		s[n] = true
	}
	return s
}

func allowed(s map[string]bool, name string) string {
	if s[name] {
		return name
	}
	return "_other"
}

// observe counts a committed batch. What was logged before a crash was counted
// then, or is lost to the counter; it is not counted twice.
func (m *Metrics) observe(batch []*work) {
	for _, w := range batch {
		switch {
		case w.msg.IsGap():
		case w.reject != nil:
			m.rejected.WithLabelValues(string(w.reject.Reason)).Inc()
		default:
			m.event(w)
		}
	}
}

func (m *Metrics) event(w *work) {
	if w.result.Order == state.Duplicate {
		return
	}
	m.events.WithLabelValues(string(w.event.Kind)).Inc()
	switch {
	case w.event.Ack != nil:
		m.acks.WithLabelValues(string(w.event.Ack.Outcome)).Inc()
	case w.event.End != nil:
		m.closed.WithLabelValues(allowed(m.agents, w.event.Agent), string(w.event.End.Status)).Inc()
	}
	for i := range w.out {
		if !w.out[i].old {
			m.decision(w, &w.out[i].decision)
		}
	}
	if w.result.Lost > 0 {
		m.closed.WithLabelValues("_other", "lost").Add(float64(w.result.Lost))
	}
}

func (m *Metrics) decision(w *work, d *actions.Decision) {
	m.findings.WithLabelValues(d.Detector, string(d.Reason)).Inc()
	if d.Reason != actions.Acted {
		return
	}
	m.controls.WithLabelValues(string(d.Kind), d.Detector).Inc()
	m.delay.Observe(w.logged.Sub(w.msg.Stored).Seconds())
	if d.Detector == "halt_ignored" {
		m.ignored.Inc()
	}
	if d.First {
		m.fired.WithLabelValues(allowed(m.agents, d.Agent), d.Detector).Inc()
	}
	if w.event.Kind == events.ToolCall || w.event.Kind == events.ToolResult {
		m.repeats.WithLabelValues(allowed(m.tools, d.Evidence.Tool)).Inc()
	}
}

func (m *Metrics) mismatch()               { m.mismatches.Inc() }
func (m *Metrics) rebuilt()                { m.rebuilds.Inc() }
func (m *Metrics) checked(decision string) { m.checks.WithLabelValues(decision).Inc() }
