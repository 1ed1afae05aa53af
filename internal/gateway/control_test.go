package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/internal/gateway"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// controls is the answer to a poll.
type controls struct {
	Controls []actions.Control
	After    string
}

func (c controls) kinds() []actions.Kind {
	var out []actions.Kind
	for _, x := range c.Controls {
		out = append(out, x.Kind)
	}
	return out
}

func read(t *testing.T, r reply) (c controls) {
	t.Helper()
	if err := json.Unmarshal(r.body, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// poll asks for the controls of a run of agent support.
func (s *stage) poll(run, after, wait string) controls {
	s.t.Helper()
	r := s.do("GET", "/v1/runs/"+run+"/control?agent=support&after="+after+"&wait="+wait, "")
	s.want(r, 200, "")
	return read(s.t, r)
}

// waiting polls in the background.
func (s *stage) waiting(run, after string) <-chan reply {
	answer := make(chan reply, 1)
	before := s.gate.Polls()
	go func() {
		r, err := s.send(s.t.Context(), "GET", "/v1/runs/"+run+"/control?agent=support&after="+after+"&wait=60s", strings.NewReader(""))
		if err != nil && s.t.Context().Err() == nil {
			s.t.Error(err)
		}
		answer <- r
	}()
	s.until("the poll waits", func() bool { return s.gate.Polls() > before })
	return answer
}

// loop makes a run call the same thing until it is halted.
func (s *stage) loop(run string) {
	s.t.Helper()
	s.take(call(run, 1, "c1", parcel) + "\n" + result(run, 2, "c1", noScans))
	s.ask(call(run, 3, "c2", parcel))
	s.ask(call(run, 4, "c3", parcel))
}

var looped = []actions.Kind{actions.Inject, actions.HaltRun, actions.Escalate}

func TestAPollIsAnsweredWhenAControlIsActed(t *testing.T) {
	s := newStage(t, "sundry", nil)
	_, h := s.ask(start("r1"))
	s.ask(start("r2"))
	one, other := s.waiting("r1", h.Get("Lw-After")), s.waiting("r2", "")
	s.loop("r1")
	got := read(t, receive(t, "the control", one))
	if len(got.Controls) == 0 || got.Controls[0].Kind != actions.Inject || got.Controls[0].Run != "r1" {
		t.Fatalf("told %v", got.kinds())
	}
	kinds := got.kinds()
	for len(kinds) < len(looped) { // each poll goes on where the last one ended
		got = s.poll("r1", got.After, "30s")
		kinds = append(kinds, got.kinds()...)
	}
	if diff := cmp.Diff(looped, kinds); diff != "" {
		t.Errorf("controls (-want +have):\n%s", diff)
	}
	if got := s.poll("r1", got.After, "0s"); len(got.Controls) != 0 || got.After == "" {
		t.Errorf("then %v, after %q", got.kinds(), got.After)
	}
	select {
	case r := <-other:
		t.Errorf("another run was told %s", r.body)
	default:
	}
}

// Nothing is missed between polls, over a restart of the gateway, nor by one
// that only knows a control's id.
func TestAPollGoesOnWhereItIsTold(t *testing.T) {
	s := newStage(t, "sundry", nil)
	_, h := s.ask(start("r1"))
	s.loop("r1")
	s.until("everything is logged", func() bool { return len(s.poll("r1", "0", "0s").Controls) == len(looped) })
	all := s.poll("r1", h.Get("Lw-After"), "0s")
	if diff := cmp.Diff(looped, all.kinds()); diff != "" {
		t.Fatalf("after the hello (-want +have):\n%s", diff)
	}
	s.closeGate()
	s.open(nil)
	for _, c := range []struct {
		name, after string
		want        []actions.Kind
	}{
		{"after the hello", h.Get("Lw-After"), looped},
		{"after the first by id", all.Controls[0].ID, looped[1:]},
		{"after the last by id", all.Controls[2].ID, nil},
		{"after the last answer", all.After, nil},
		{"from now on", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, s.in(t).poll("r1", c.after, "0s").kinds()); diff != "" {
				t.Errorf("controls (-want +have):\n%s", diff)
			}
		})
	}
	for _, after := range []string{"ctl_nobody", "-1", "1000000", "9223372036854775807"} {
		s.want(s.do("GET", "/v1/runs/r1/control?agent=support&after="+after+"&wait=0s", ""), 410, "unknown_after")
	}
}

func TestPollsAreRefused(t *testing.T) {
	s := newStage(t, "default", nil)
	for _, q := range []string{"wait=61s", "wait=-1s", "wait=soon", "tenant=a.b", "agent=%zz", "after=1&after=2", "agent=>", "task=%20"} {
		s.want(s.do("GET", "/v1/runs/r1/control?"+q, ""), 400, "bad_query")
	}
	s.want(s.do("GET", "/v1/runs/a.b/control", ""), 400, "bad_query")
}

// A forged control, one for another run, and one that was withheld are not
// handed on; one that is sent again is.
func TestOnlyGenuineControlsAreHandedOn(t *testing.T) {
	s := newStage(t, "sundry", nil)
	_, h := s.ask(start("r1"))
	s.loop("r1")
	all := controls{}
	s.until("everything is logged", func() bool {
		all = s.poll("r1", h.Get("Lw-After"), "0s")
		return len(all.Controls) == len(looped)
	})
	poll := s.waiting("r1", all.After)
	live := events.ControlSubject("default", "support", "r1")
	halt := all.Controls[1]
	body, err := halt.Encode()
	if err != nil {
		t.Fatal(err)
	}
	key := s.app.Keys.Control
	wrong := halt
	wrong.Reason = actions.Shadow
	shadow, err := wrong.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []struct {
		name string
		sig  string
		body []byte
	}{
		{"not signed", "", body},
		{"signed by another", operator().Sign(actions.DomainControl, live, body), body},
		{"signed for another run", key.Sign(actions.DomainControl, events.ControlSubject("default", "support", "r2"), body), body},
		{"no control", key.Sign(actions.DomainControl, live, []byte("{}")), []byte("{}")},
		{"withheld", key.Sign(actions.DomainControl, live, shadow), shadow},
		{"another run's", key.Sign(actions.DomainControl, live, []byte(strings.Replace(string(body), `"run":"r1"`, `"run":"r2"`, 1))), []byte(strings.Replace(string(body), `"run":"r1"`, `"run":"r2"`, 1))},
		{"genuine", key.Sign(actions.DomainControl, live, body), body},
	} {
		if err := s.bus.Answer(live, map[string][]string{"Lw-Sig": {m.sig}}, m.body); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, receive(t, "the control that was sent again", poll))
	if len(got.Controls) != 1 || got.Controls[0].ID != halt.ID || got.After != all.After {
		t.Errorf("told %+v", got)
	}
	if n := s.metric("loopwatch_gateway_messages_forged_total"); n != "6" {
		t.Errorf("%s messages are counted as forged, want 6", n)
	}
}

// The gateway's end answers who waits.
func TestAStopAnswersThePolls(t *testing.T) {
	s := newStage(t, "default", nil)
	poll := s.waiting("r1", "")
	s.closeGate()
	r := receive(t, "the poll", poll)
	if got := read(t, r); r.status != 200 || len(got.Controls) != 0 {
		t.Errorf("answered %d %s", r.status, r.body)
	}
}

func TestTooManyPolls(t *testing.T) {
	s := newStage(t, "default", func(c *gateway.Config) { c.MaxPolls = 1 })
	s.waiting("r1", "")
	r := s.do("GET", "/v1/runs/r1/control", "")
	s.want(r, 429, "busy")
	if r.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

// What was acted while the gateway could not hear is told when it is back.
func TestAReconnectLooksIntoTheLog(t *testing.T) {
	var nc *nats.Conn
	s := newStage(t, "sundry", func(c *gateway.Config) { nc = c.Conn })
	_, h := s.ask(start("r1"))
	poll := s.waiting("r1", h.Get("Lw-After"))
	s.gate.Deafen()
	s.take(call("r1", 1, "c1", parcel) + "\n" + result("r1", 2, "c1", noScans) + "\n" + call("r1", 3, "c2", parcel))
	s.until("the control is logged", func() bool { return len(s.poll("r1", "0", "0s").Controls) == 1 })
	select {
	case r := <-poll:
		t.Fatalf("told %s without hearing", r.body)
	default:
	}
	if err := nc.ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, receive(t, "the control", poll)); len(got.Controls) != 1 {
		t.Errorf("told %v", got.kinds())
	}
}
