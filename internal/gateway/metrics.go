package gateway

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics counts what a gateway does. Labels are routes and statuses only.
type metrics struct {
	requests   *prometheus.CounterVec
	stored     prometheus.Counter
	refused    prometheus.Counter
	unanswered prometheus.Counter
	forged     prometheus.Counter
	checks     prometheus.Histogram
}

func newMetrics(reg *prometheus.Registry) *metrics {
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: "loopwatch", Subsystem: "gateway", Name: name, Help: help})
		reg.MustRegister(c)
		return c
	}
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "loopwatch", Subsystem: "gateway", Name: "requests_total", Help: "Requests by route and status.",
		}, []string{"route", "status"}),
		stored:     counter("events_stored_total", "Events that the bus confirmed, duplicates among them."),
		refused:    counter("events_refused_total", "Items of accepted bodies that are no event."),
		unanswered: counter("checks_unanswered_total", "Checks without a verdict by their deadline."),
		forged:     counter("messages_forged_total", "Verdicts and controls that no trusted key signed, or that are not to be acted on."),
		checks: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "loopwatch", Subsystem: "gateway", Name: "check_seconds", Help: "From a check's arrival to its verdict.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14), NativeHistogramBucketFactor: 1.1,
			NativeHistogramMaxBucketNumber: 160, NativeHistogramMinResetDuration: time.Hour,
		}),
	}
	reg.MustRegister(m.requests, m.checks)
	return m
}

// waiting registers the number of polls that wait.
func (m *metrics) waiting(reg *prometheus.Registry, polls func() float64) {
	reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "loopwatch", Subsystem: "gateway", Name: "polls_waiting", Help: "Polls for controls that wait.",
	}, polls))
}

func (m *metrics) answered(route Route, status int) {
	m.requests.WithLabelValues(route.name(), strconv.Itoa(status)).Inc()
}

func (g *Gateway) getMetrics(w http.ResponseWriter, r *http.Request, _ Caller) error {
	promhttp.HandlerFor(g.cfg.Registry, promhttp.HandlerOpts{EnableOpenMetrics: true}).ServeHTTP(w, r)
	return nil
}

func (g *Gateway) getLive(w http.ResponseWriter, _ *http.Request, _ Caller) error {
	return answer(w, http.StatusOK, probe{"ok"})
}

func (g *Gateway) getReady(w http.ResponseWriter, _ *http.Request, _ Caller) error {
	if !g.cfg.Ready() {
		return busAway()
	}
	return answer(w, http.StatusOK, probe{"ok"})
}

// probe is the answer of a probe.
type probe struct {
	Status string `json:"status"`
}
