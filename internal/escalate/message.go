package escalate

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Name is the alertname of every escalation.
const Name = "LoopwatchEscalation"

// alert is one alert as Alertmanager's API v2 takes it.
type alert struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL,omitempty"`
}

// severity of an escalation: a worker that does not obey burns money while
// nobody looks.
func (e *Escalation) severity() string {
	if e.Detector == ignored {
		return "critical"
	}
	return "warning"
}

// alert says the escalation until a time; one in the past resolves it. The
// labels are the same whenever it is said.
func (e *Escalation) alert(o *Options, until time.Time) alert {
	return alert{
		Labels: map[string]string{
			"alertname": Name, "tenant": e.Tenant, "agent": e.Agent, "detector": e.Detector,
			"severity": e.severity(), "run": e.Run, "incident": e.Incident,
		},
		Annotations: e.annotations(), StartsAt: e.Time, EndsAt: until, GeneratorURL: e.link(o.Link),
	}
}

func (e *Escalation) annotations() map[string]string {
	out := map[string]string{"summary": e.headline(), "look": e.command("show", ""), "control": e.ID, "task": e.Task}
	if e.Detector == ignored {
		out["stop"] = "its worker does not obey its halt: end it where it runs"
	} else {
		out["resume"] = e.command("resume", ` --note "…"`)
		out["leave"] = e.command("halt", ` --reason "stays halted"`)
	}
	if e.Summary != "" {
		out["description"] = e.Summary
	}
	return out
}

// headline says the escalation in one line of names and figures.
func (e *Escalation) headline() string {
	s := fmt.Sprintf("run %s of agent %s needs a person: %s", e.Run, e.Agent, e.Detector)
	if e.Count > 1 {
		s += fmt.Sprintf(", %d times", e.Count)
	}
	if e.Since > 0 {
		s += fmt.Sprintf(", since round %d", e.Since)
	}
	return s
}

// command is what to type about the run; names are plain, but may begin with a
// dash.
func (e *Escalation) command(verb, flags string) string {
	run := e.Run
	if strings.HasPrefix(run, "-") {
		run = "-- " + run
	}
	return fmt.Sprintf("loopwatch %s --tenant=%s --task=%s%s %s", verb, e.Tenant, e.Task, flags, run)
}

// link is where our API describes the run.
func (e *Escalation) link(base string) string {
	if base == "" {
		return ""
	}
	q := url.Values{"tenant": {e.Tenant}, "task": {e.Task}}
	return strings.TrimSuffix(base, "/") + "/v1/runs/" + url.PathEscape(e.Run) + "?" + q.Encode()
}

// hook is the body of a webhook. It is the same bytes at every attempt.
type hook struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      hookData  `json:"data"`
}

type hookData struct {
	ID       string `json:"id"`
	Tenant   string `json:"tenant"`
	Agent    string `json:"agent"`
	Task     string `json:"task"`
	Run      string `json:"run"`
	Detector string `json:"detector"`
	Severity string `json:"severity"`
	Incident string `json:"incident"`
	Rung     int    `json:"rung"`
	Count    int    `json:"count"`
	Since    int    `json:"since_round"`
	Round    int    `json:"round"`
	Policy   string `json:"policy"`
	Headline string `json:"headline"`
	Summary  string `json:"summary,omitempty"`
	URL      string `json:"url,omitempty"`
}

// hookType is the type of the one webhook there is.
const hookType = "escalation.opened"

func (e *Escalation) hook(o *Options) ([]byte, error) {
	b, err := json.Marshal(hook{Type: hookType, Timestamp: e.Time, Data: hookData{
		ID: e.ID, Tenant: e.Tenant, Agent: e.Agent, Task: e.Task, Run: e.Run, Detector: e.Detector, Severity: e.severity(),
		Incident: e.Incident, Rung: e.Rung, Count: e.Count, Since: e.Since, Round: e.Round, Policy: e.Policy,
		Headline: e.headline(), Summary: e.Summary, URL: e.link(o.Link),
	}})
	if err != nil {
		return nil, fmt.Errorf("encode webhook %s: %w", e.ID, err)
	}
	return b, nil
}
