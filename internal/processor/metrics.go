package processor

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// Bounds of the allow-lists.
const (
	MaxAgents = 100
	MaxTools  = 500
)

// Metrics counts what the processor does, after the commit. Every label comes
// from a closed set: agents and tools from an allow-list, the rest is _other.
// Every series exists from the start, so that its first increase is seen.
type Metrics struct {
	sets sets

	events, rejected, findings, withheld, controls, acks, checks, closed, fired, repeats *prometheus.CounterVec

	ignored, resent, mismatches, rebuilds, turns, cost, overflow prometheus.Counter
	delay, asked, waited                                         prometheus.Histogram

	runs                           map[state.Stage]prometheus.Gauge
	escalations, owned, lag, blind prometheus.Gauge
	ages                           *ages
}

// NewMetrics registers the processor's metrics. agents and tools are the label
// values allowed beside _other, the first MaxAgents and MaxTools of them.
func NewMetrics(reg prometheus.Registerer, agents, tools []string) *Metrics {
	f := factory{reg}
	m := &Metrics{sets: newSets(agents[:min(len(agents), MaxAgents)], tools[:min(len(tools), MaxTools)])}
	m.count(f)
	m.time(f)
	stages := f.gauges("runs", "Runs remembered, by what became of them: live, halting (its worker has not acknowledged the halt), "+
		"halted by an operator or with another run, awaiting a person, ended, lost.", "state")
	m.runs = map[state.Stage]prometheus.Gauge{}
	for _, s := range state.Stages() {
		m.runs[s] = stages.WithLabelValues(s.String())
	}
	m.escalations = f.gauge("escalations_open", "Runs whose halt was escalated and that nobody has resumed.")
	m.owned = f.gauge("partitions_owned", "Partitions that this instance reads.")
	m.lag = f.gauge("consumer_lag_events", "Events stored on the partitions of this instance and not yet applied.")
	m.blind = f.gauge("watcher_blind", "1 while events of this instance may go unwatched for longer than promised; its status says why.")
	m.ages = newAges(m.sets.agents, time.Now)
	reg.MustRegister(m.ages)
	return m
}

func (m *Metrics) count(f factory) {
	s := m.sets
	m.events = f.counters("events_total", "Events applied, by kind.", of{"kind", s.kinds})
	m.rejected = f.counters("events_rejected_total", "Events sent to the dead letters, by reason.", of{"reason", s.rejects})
	m.findings = f.counters("findings_total", "Findings that got a logged verdict, by detector and by how it may act.",
		of{"detector", s.detectors}, of{"mode", s.modes})
	m.withheld = f.counters("findings_withheld_total", "Findings logged and not acted on, by reason.", of{"reason", s.reasons})
	m.controls = f.counters("controls_total", "Controls logged, by kind and detector.", of{"kind", s.controls}, of{"detector", s.detectors})
	m.acks = f.counters("control_acks_total", "Acknowledgements of controls, by outcome.", of{"outcome", s.outcomes})
	m.checks = f.counters("checks_total", "Checks before dispatch, by decision; late ones were not answered.", of{"decision", s.rulings})
	m.closed = f.counters("runs_closed_total", "Runs that ended, by agent and status; lost ones said nothing for the idle time.",
		of{"agent", s.agents}, of{"status", s.statuses})
	m.fired = f.counters("runs_fired_total", "Runs with a first acted decision, by agent and detector.",
		of{"agent", s.agents}, of{"detector", s.detectors})
	m.repeats = f.counters("repeat_events_total", "Acted findings, by the tool that was repeated.", of{"tool", s.tools})
	m.ignored = f.counter("halts_ignored_total", "Runs whose worker acted past its halt.")
	m.resent = f.counter("halts_resent_total", "Halts sent again because their worker had not acknowledged them.")
	m.mismatches = f.counter("replay_mismatches_total", "Decisions made again that differ from the logged ones.")
	m.rebuilds = f.counter("state_rebuilds_total", "Partitions whose state did not belong to the stream and was rebuilt.")
	m.overflow = f.counter("dead_letters_overflow_total", "Refused events without a dead letter, because their tenant had its share of the hour.")
	m.turns = f.counter("turns_saved_total", "Turns that runs did not take up to their own limits because they were stopped or turned round.")
	m.cost = f.counter("cost_saved_usd_total", "What those turns would have cost in US dollars, by each run's own growth; unknown prices count nothing.")
}

func (m *Metrics) time(f factory) {
	m.delay = f.histogram("detection_delay_seconds", "From the event stored to the decision logged, of acted decisions.", 0.001, 18)
	m.asked = f.histogram("check_seconds", "From a check stored to its verdict sent.", 0.0005, 16)
	m.waited = f.histogram("control_ack_seconds", "From the cause of a control to its acknowledgement, both as stored.", 0.01, 18)
}

// factory makes and registers.
type factory struct{ prometheus.Registerer }

// of is a label with the values it may have.
type of struct {
	name   string
	values closed
}

func (f factory) counters(name, help string, labels ...of) *prometheus.CounterVec {
	names := make([]string, len(labels))
	for i, l := range labels {
		names[i] = l.name
	}
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "loopwatch", Name: name, Help: help}, names)
	f.MustRegister(c)
	every(labels, nil, func(values []string) { c.WithLabelValues(values...) })
	return c
}

// every calls fn with each combination of values.
func every(labels []of, before []string, fn func([]string)) {
	if len(labels) == 0 {
		fn(before)
		return
	}
	for v := range labels[0].values {
		every(labels[1:], append(before[:len(before):len(before)], v), fn)
	}
}

func (f factory) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: "loopwatch", Name: name, Help: help})
	f.MustRegister(c)
	return c
}

func (f factory) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "loopwatch", Name: name, Help: help})
	f.MustRegister(g)
	return g
}

func (f factory) gauges(name, help string, label string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "loopwatch", Name: name, Help: help}, []string{label})
	f.MustRegister(g)
	return g
}

// histogram has n classic buckets from start on, each twice the last, and the
// native ones.
func (f factory) histogram(name, help string, start float64, n int) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "loopwatch", Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(start, 2, n),
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 160, NativeHistogramMinResetDuration: time.Hour,
	})
	f.MustRegister(h)
	return h
}
