package processor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/internal/report"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

var storedAt = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// aWork is a committed event of an owner with what it led to.
func aWork(o *owner, e events.Event, decided ...actions.Decision) *work {
	w := &work{owner: o, event: e, msg: natsbus.Msg{Seq: 10, Stored: storedAt}, logged: storedAt.Add(2 * time.Second)}
	w.result.Decisions = decided
	for _, d := range decided {
		w.out = append(w.out, outgoing{decision: d})
	}
	return w
}

// series counts what a registry exposes.
func series(t *testing.T, reg *prometheus.Registry) int {
	t.Helper()
	all, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range all {
		n += len(f.GetMetric())
	}
	return n
}

// Whatever names the fleet brings, the number of series stays what it was, but
// for the two sources that are first heard of.
func TestNoMetricGrowsWithRuns(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := NewMetrics(reg, []string{"support", "coder"}, []string{"grep"})
	before := series(t, reg)
	if before > 500 {
		t.Errorf("%d series from the start, want at most 500", before)
	}
	n := 1_000_000
	if testing.Short() {
		n = 10_000
	}
	o := &owner{}
	for i := range n {
		name := fmt.Sprint("x", i)
		d := actions.Decision{
			Target: state.RunID{Tenant: name, Task: name, Run: name}, Agent: name, Detector: name, ID: "ctl_" + name, First: true,
			Kind: actions.Kind(name), Reason: actions.Acted, Evidence: evidence(name),
		}
		hidden := d
		hidden.Reason = actions.Reason(name)
		call := events.Event{Kind: events.ToolCall, Tenant: name, Agent: name, Task: name, Run: name}
		end := events.Event{Kind: events.RunEnd, Agent: name, Run: name, End: &events.End{Status: events.Status(name)}}
		ack := events.Event{Kind: events.Kind(name), Agent: name, Run: name, Ack: &events.Ack{Outcome: events.Outcome(name)}}
		refused := &work{owner: o, reject: &events.Reject{Reason: events.Reason(name)}}
		tick := aWork(o, events.Event{Kind: events.Tick})
		tick.result.Lost = []engine.Lost{{Agent: name}}
		m.observe([][]*work{{aWork(o, call, d)}, {aWork(o, call, hidden)}, {aWork(o, end), refused}, {aWork(o, ack), tick}}[i%4])
		m.checked(name)
	}
	if after := series(t, reg); after > before+16 {
		t.Errorf("%d series after %d runs, %d before", after, n, before)
	}
	if got := moved(t, reg); !slices.Contains(got, "fired{_other _other}") {
		t.Errorf("counted %v, want runs that fired", got)
	}
}

// The most there can be, by the longest allow-lists that are taken.
func TestTheMostSeries(t *testing.T) {
	names := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprint("n", i))
		}
		return out
	}
	reg := prometheus.NewRegistry()
	NewMetrics(reg, names(10*MaxAgents), names(10*MaxTools))
	if got := series(t, reg); got > 5000 {
		t.Errorf("%d series, want at most 5000", got)
	}
}

func TestMetricsPassTheLinter(t *testing.T) {
	reg := prometheus.NewRegistry()
	NewMetrics(reg, []string{"support"}, []string{"grep"})
	all, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(all).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestWhatIsCounted(t *testing.T) {
	acted := func(change func(*actions.Decision)) actions.Decision {
		d := actions.Decision{
			Target: state.RunID{Run: "r"}, Agent: "support", Detector: "repeat", Kind: actions.Inject, Reason: actions.Acted, ID: "ctl_1", Evidence: evidence("grep"),
		}
		change(&d)
		return d
	}
	call := events.Event{Kind: events.ToolCall, Agent: "support", Run: "r"}
	tests := []struct {
		name string
		work func(*owner) *work
		want string // metrics that are not zero, but for events and ages
	}{
		{"an event", func(o *owner) *work { return aWork(o, call) }, "events{tool_call}"},
		{"a duplicate", func(o *owner) *work { w := aWork(o, call); w.result.Order = state.Duplicate; return w }, ""},
		{"one that was applied before", func(o *owner) *work {
			o.logged.last = actions.Position{Stream: o.stream.Created.UnixMilli(), Seq: 11}
			return aWork(o, call, acted(func(*actions.Decision) {}))
		}, ""},
		{"a refused one", func(o *owner) *work {
			w := aWork(o, call)
			w.reject = &events.Reject{Reason: events.ReasonNotJSON}
			return w
		}, "rejected{not_json}"},
		{"a first finding", func(o *owner) *work { return aWork(o, call, acted(func(d *actions.Decision) { d.First = true })) },
			"controls{inject_observation repeat} delay events{tool_call} findings{repeat enforce} fired{support repeat} repeats{grep}"},
		{"a decision that was logged before", func(o *owner) *work {
			w := aWork(o, call, acted(func(*actions.Decision) {}))
			w.out[0].old = true
			return w
		}, "events{tool_call}"},
		{"a withheld finding", func(o *owner) *work {
			return aWork(o, call, acted(func(d *actions.Decision) { d.Reason, d.ID = actions.Shadow, "" }))
		}, "events{tool_call} findings{repeat shadow} withheld{shadow}"},
		{"a halt that was ignored", func(o *owner) *work {
			return aWork(o, events.Event{Kind: events.TurnKind}, acted(func(d *actions.Decision) { d.Detector, d.Kind = "halt_ignored", actions.Escalate }))
		}, "controls{escalate halt_ignored} delay events{turn} findings{halt_ignored enforce} ignored"},
		{"an acknowledgement", func(o *owner) *work {
			w := aWork(o, events.Event{Kind: events.ControlAck, Run: "r", Ack: &events.Ack{Outcome: events.Applied}})
			w.result.Waited = time.Second
			return w
		}, "acks{applied} events{control_ack} waited"},
		{"an end that saved something", func(o *owner) *work {
			w := aWork(o, events.Event{Kind: events.RunEnd, Agent: "support", End: &events.End{Status: events.Stuck}})
			w.saved = report.Saved{Turns: 7, USD: 0.5}
			return w
		}, "closed{support stuck} cost events{run_end} turns"},
		{"a tick", func(o *owner) *work {
			w := aWork(o, events.Event{Kind: events.Tick})
			w.result.Lost, w.result.Resend = []engine.Lost{{Agent: "support"}, {Agent: "stranger"}}, make([]engine.Resend, 2)
			return w
		}, "closed{_other lost} closed{support lost} events{tick} resent"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			reg := prometheus.NewRegistry()
			m := NewMetrics(reg, []string{"support"}, []string{"grep"})
			m.observe([]*work{test.work(&owner{})})
			if got := strings.Join(moved(t, reg), " "); got != test.want {
				t.Errorf("counted\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func evidence(tool string) (e detectors.Evidence) {
	e.Tool = tool
	return e
}

// short are the names of counters and histograms as the tests write them.
var short = map[string]string{
	"events_total": "events", "events_rejected_total": "rejected", "findings_total": "findings", "findings_withheld_total": "withheld",
	"controls_total": "controls", "control_acks_total": "acks", "checks_total": "checks", "runs_closed_total": "closed",
	"runs_fired_total": "fired", "repeat_events_total": "repeats", "halts_ignored_total": "ignored", "halts_resent_total": "resent",
	"turns_saved_total": "turns", "cost_saved_usd_total": "cost", "detection_delay_seconds": "delay", "control_ack_seconds": "waited", "check_seconds": "asked",
}

// moved lists counters and histograms that are not zero, with their labels.
func moved(t *testing.T, reg *prometheus.Registry) (out []string) {
	t.Helper()
	all, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		for _, m := range f.GetMetric() {
			if m.GetCounter().GetValue() == 0 && m.GetHistogram().GetSampleCount() == 0 {
				continue
			}
			name := short[strings.TrimPrefix(f.GetName(), "loopwatch_")]
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			var values []string
			for _, l := range []string{"kind", "reason", "agent", "detector", "mode", "outcome", "decision", "status", "tool"} {
				if v, ok := labels[l]; ok {
					values = append(values, v)
				}
			}
			if len(values) > 0 {
				name += "{" + strings.Join(values, " ") + "}"
			}
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func TestExemplarsNameTheRun(t *testing.T) {
	for _, tt := range []struct {
		name, run string
		want      bool
	}{{"a name", "r-1", true}, {"the longest that fits", strings.Repeat("r", 125), true}, {"one too long", strings.Repeat("r", 126), false}} {
		t.Run(tt.name, func(t *testing.T) {
			reg := prometheus.NewRegistry()
			m := NewMetrics(reg, nil, nil)
			d := actions.Decision{Target: state.RunID{Run: tt.run}, First: true, Reason: actions.Acted}
			m.observe([]*work{aWork(&owner{}, events.Event{Kind: events.Tick}, d)})
			all, err := reg.Gather()
			if err != nil {
				t.Fatal(err)
			}
			told := 0
			for _, f := range all {
				for _, x := range f.GetMetric() {
					if e := x.GetCounter().GetExemplar(); e != nil && e.GetLabel()[0].GetValue() == tt.run {
						told++
					}
					for _, b := range x.GetHistogram().GetBucket() {
						if b.GetExemplar() != nil {
							told++
						}
					}
				}
			}
			if (told == 2) != tt.want || !tt.want && told > 0 {
				t.Errorf("%d exemplars", told)
			}
		})
	}
}
