package escalate

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

func example() Escalation {
	return Escalation{
		ID: "ctl_1", Tenant: "default", Agent: "support", Task: "t1", Run: "r1", Detector: "repeat", Incident: "inc_1",
		Rung: 2, Count: 3, Since: 4, Round: 6, Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Policy: "default@12345678",
	}
}

func TestTheAlert(t *testing.T) {
	e := example()
	until := e.Time.Add(validity)
	got := e.alert(&Options{Link: "https://lw.example/"}, until)
	want := alert{
		Labels: map[string]string{
			"alertname": "LoopwatchEscalation", "tenant": "default", "agent": "support", "detector": "repeat",
			"severity": "warning", "run": "r1", "incident": "inc_1",
		},
		Annotations: map[string]string{
			"summary": "run r1 of agent support needs a person: repeat, 3 times, since round 4",
			"look":    "loopwatch show --tenant=default --task=t1 r1",
			"resume":  `loopwatch resume --tenant=default --task=t1 --note "…" r1`,
			"leave":   `loopwatch halt --tenant=default --task=t1 --reason "stays halted" r1`,
			"control": "ctl_1", "task": "t1",
		},
		StartsAt: e.Time, EndsAt: until, GeneratorURL: "https://lw.example/v1/runs/r1?task=t1&tenant=default",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	e.Summary = "text"
	if got := e.alert(&Options{}, until); got.Annotations["description"] != "text" || got.GeneratorURL != "" {
		t.Errorf("with text and without a link: %+v", got)
	}
	e.Run = "-r1"
	if got := e.annotations()["look"]; !strings.HasSuffix(got, "--task=t1 -- -r1") {
		t.Errorf("a run whose name begins with a dash: %s", got)
	}
}

// An alert's labels are a closed set, whatever happened.
func TestLabelsAreClosed(t *testing.T) {
	e := example()
	plain := slices.Sorted(maps.Keys(e.alert(&Options{}, e.Time).Labels))
	e.Detector, e.Summary, e.Count = ignored, "text", 0
	a := e.alert(&Options{Link: "https://lw.example"}, e.Time)
	if got := slices.Sorted(maps.Keys(a.Labels)); !slices.Equal(got, plain) {
		t.Errorf("labels %v, want %v", got, plain)
	}
	if a.Labels["severity"] != "critical" || a.Annotations["stop"] == "" || a.Annotations["resume"] != "" {
		t.Errorf("of a worker that does not obey: %+v", a)
	}
}

func TestTheWebhookIsTheSameBytesEachTime(t *testing.T) {
	e := example()
	o := Options{Link: "https://lw.example"}
	first, err := e.hook(&o)
	if err != nil {
		t.Fatal(err)
	}
	second, err := e.hook(&o)
	if err != nil || string(first) != string(second) {
		t.Errorf("%s\n%s\n%v", first, second, err)
	}
	var got struct {
		Type      string         `json:"type"`
		Timestamp time.Time      `json:"timestamp"`
		Data      map[string]any `json:"data"`
	}
	if err := json.Unmarshal(first, &got); err != nil {
		t.Fatal(err)
	}
	if got.Type != "escalation.opened" || !got.Timestamp.Equal(e.Time) || got.Data["id"] != "ctl_1" || got.Data["run"] != "r1" {
		t.Errorf("it says %s", first)
	}
	if _, has := got.Data["summary"]; has {
		t.Errorf("text left: %s", first)
	}
}
