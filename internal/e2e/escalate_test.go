package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// people are an Alertmanager and the receiver of a webhook.
type people struct {
	*httptest.Server
	mu    sync.Mutex
	hooks []string             // webhook ids, in order
	ends  map[string]time.Time // endsAt of the last alert, by run
}

func newPeople(t *testing.T) *people {
	t.Helper()
	p := &people{ends: map[string]time.Time{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		if r.URL.Path == "/hook" {
			p.hooks = append(p.hooks, r.Header.Get("Webhook-Id"))
			return
		}
		var alerts []struct {
			Labels map[string]string `json:"labels"`
			EndsAt time.Time         `json:"endsAt"`
		}
		if err := json.Unmarshal(body, &alerts); err != nil || r.URL.Path != "/api/v2/alerts" {
			t.Errorf("at %s: %s", r.URL.Path, body)
		}
		for _, a := range alerts {
			p.ends[a.Labels["run"]] = a.EndsAt
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// told reports whether both know of a run's escalation.
func (p *people) told(run, control string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.ends[run].IsZero() && slices.Contains(p.hooks, control)
}

// over reports whether the alert of a run is resolved.
func (p *people) over(run string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.ends[run]
	return !at.IsZero() && !at.After(time.Now())
}

// escalation returns the id of the control that a run's loop was escalated
// under.
func (s *stage) escalation(run string) string {
	s.t.Helper()
	for _, c := range s.acted(run) {
		if c.Kind == actions.Escalate {
			return c.ID
		}
	}
	s.t.Fatalf("%s is not escalated", run)
	panic("unreachable")
}

// A loop that is halted is escalated to people and awaits them, whatever its
// worker does next; resuming it, or saying that it stays halted, answers. A
// processor that is killed right after it has logged the escalation has its
// next start tell.
func TestEscalationsReachPeople(t *testing.T) {
	p := newPeople(t)
	s := newStage(t, "sundry")
	s.env = []string{tellEnv + "=" + p.URL}
	data, first := s.manned()
	s.loop(s.worker(data, worker.Config{Agent: "support", Task: "t1", Run: "r1"}))
	id := s.escalation("r1")
	s.until("both are told", func() bool { return p.told("r1", id) })
	if d := s.settled("r1"); !d.Awaiting || d.Status != "stuck" {
		t.Errorf("it stands as %+v", d.Run)
	}
	if p.over("r1") {
		t.Error("its worker's end resolved the alert")
	}
	first.stop(t)

	killed := s.start(data, "record:3") // the observation, the halt, the escalation
	s.wait(killed)
	s.loop(s.worker(data, worker.Config{Agent: "support", Task: "t2", Run: "r2"}))
	receive(t, "the kill", killed.done)
	if !killed.killed() {
		t.Fatalf("it ended by itself: %v", killed.err)
	}
	s.wait(s.start(data, ""))
	id = s.escalation("r2")
	s.until("both are told by the next start", func() bool { return p.told("r2", id) })

	s.act(events.Operator{Action: "resume", Scope: events.Scope{Tenant: "default", Task: "t1", Run: "r1"}, By: "lee"})
	s.until("the alert is resolved by a resumption", func() bool { return p.over("r1") })
	if p.over("r2") {
		t.Error("resuming one run resolved the alert of another")
	}
	s.act(events.Operator{Action: "halt", Scope: events.Scope{Tenant: "default", Task: "t2", Run: "r2"}, Reason: "hopeless", By: "lee"})
	s.until("the alert is resolved by the word that it stays", func() bool { return p.over("r2") })
	if d := s.detail("r2"); d.Awaiting || !d.Halted || d.Halt.By != "lee" || d.Halt.Reason != "hopeless" {
		t.Errorf("it stands as %+v, %+v", d.Run, d.Halt)
	}
	seen := map[string]int{}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.hooks {
		seen[h]++
	}
	if len(seen) != 2 {
		t.Errorf("webhooks %v, want the ids of two", seen)
	}
}

// Of several people who answer at once the first one is obeyed: one fresh
// window, one note told, and every answer in the record.
func TestPeopleAnswerAtOnce(t *testing.T) {
	const people = 8
	s := newStage(t, "sundry")
	data, _ := s.manned()
	s.loop(s.worker(data, worker.Config{Agent: "support", Task: "t1", Run: "r1"}))
	s.settled("r1")
	var wg sync.WaitGroup
	var mu sync.Mutex
	resumed, winner := 0, ""
	for i := range people {
		wg.Go(func() {
			by := fmt.Sprint("person-", i)
			done, err := s.fleet().Do(s.bounded(), events.Operator{
				Action: "resume", Scope: events.Scope{Tenant: "default", Task: "t1", Run: "r1"}, By: by, Note: "note of " + by,
				Add: events.Limits{MaxTurns: 1},
			})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if resumed += done.Runs; done.Runs == 1 {
				winner = by
			}
		})
	}
	wg.Wait()
	if resumed != 1 {
		t.Errorf("%d people were told that they resumed it", resumed)
	}
	notes := 0
	for _, c := range s.acted("r1") {
		if c.Kind == actions.Inject && c.Detector == "operator" {
			notes++
			if want := "This run was resumed by an operator, «" + winner + "»: «note of " + winner + "»"; c.Summary != want {
				t.Errorf("the note is %q, want that of %s", c.Summary, winner)
			}
		}
	}
	if notes != 1 {
		t.Errorf("%d notes were told", notes)
	}
	said := 0
	for _, line := range s.dump() {
		if e, err := events.Decode(line, events.DefaultLimit); err == nil && e.Kind == events.OperatorAct {
			said++
		}
	}
	if said != people {
		t.Errorf("%d of %d answers are in the record", said, people)
	}
	if d := s.detail("r1"); d.Halted || d.Awaiting || d.Resumed == 0 {
		t.Errorf("it stands as %+v", d.Run)
	}
}
