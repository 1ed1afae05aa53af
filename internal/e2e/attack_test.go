package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// siege is a victim that runs on a bus on which everybody may do everything: no
// permission stands between it and the attacker, only signatures.
type siege struct {
	*stage
	data    string
	victim  *worker.Run
	genuine actions.Signer
	forger  actions.Signer
	taken   *nats.Msg // a halt that the processor signed, for another run
	own     *nats.Msg // an observation that the processor signed, for the victim
}

const (
	victimsRun  = "r1"
	victimsTask = "order-1"
)

var victims = events.ControlSubject("default", "support", victimsRun)

func newSiege(t *testing.T) *siege {
	t.Helper()
	g := &siege{stage: newStage(t, "sundry")}
	g.data, _ = g.manned()
	var err error
	if g.forger, err = actions.GenerateSigner(rand.Reader); err != nil {
		t.Fatal(err)
	}
	g.genuine = g.signer(g.data)
	heard, err := g.nc.SubscribeSync(victims)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := g.nc.SubscribeSync(events.ControlSubject("default", "support", "r2"))
	if err != nil {
		t.Fatal(err)
	}
	g.victim = g.worker(g.data, worker.Config{Agent: "support", Task: victimsTask, Run: victimsRun})
	other := g.worker(g.data, worker.Config{Agent: "support", Task: "order-2", Run: "r2"})
	g.act(events.Operator{Action: "halt", Scope: events.Scope{Tenant: "default", Task: "order-2", Run: "r2"}})
	receive(t, "r2's halt", other.Done())
	for range 2 {
		if _, err := g.victim.Do(g.bounded(), "look", `{}`, func(context.Context) (any, error) { return "nothing", nil }); err != nil {
			t.Fatal(err)
		}
	}
	if g.told(g.victim) == "" {
		t.Fatal("the victim was not told anything genuine")
	}
	if g.own, err = heard.NextMsgWithContext(g.bounded()); err != nil {
		t.Fatal(err)
	}
	if g.taken, err = elsewhere.NextMsgWithContext(g.bounded()); err != nil {
		t.Fatal(err)
	}
	return g
}

// send puts a message on the bus, signed where sig is not empty.
func (g *siege) send(subject, sig string, body []byte) {
	g.t.Helper()
	m := &nats.Msg{Subject: subject, Data: body, Header: nats.Header{}}
	if sig != "" {
		m.Header.Set(actions.SignatureHeader, sig)
	}
	if err := g.nc.PublishMsg(m); err != nil {
		g.t.Fatal(err)
	}
}

// halt is a halt of the victim as the processor would write it, but for the
// change.
func (g *siege) halt(id string, change func(*actions.Control)) []byte {
	g.t.Helper()
	c, err := actions.DecodeControl(g.taken.Data)
	if err != nil {
		g.t.Fatal(err)
	}
	c.ID, c.Task, c.Run, c.Expires = id, victimsTask, victimsRun, time.Now().Add(time.Hour)
	change(&c)
	body, err := c.Encode()
	if err != nil {
		g.t.Fatal(err)
	}
	return body
}

// attacks are what hostile clients do to have the victim stopped or told
// something. None needs more than a connection.
var attacks = []struct {
	name string
	do   func(*siege)
}{
	{"forged, unsigned", func(g *siege) { g.send(victims, "", g.halt("ctl_a1", func(*actions.Control) {})) }},
	{"forged, signed with a key of the attacker's", func(g *siege) {
		b := g.halt("ctl_a2", func(*actions.Control) {})
		g.send(victims, g.forger.Sign(actions.DomainControl, victims, b), b)
	}},
	{"forged, with the processor's key id before the attacker's signature", func(g *siege) {
		b := g.halt("ctl_a3", func(*actions.Control) {})
		_, sig, _ := strings.Cut(g.forger.Sign(actions.DomainControl, victims, b), ".")
		g.send(victims, g.genuine.KeyID()+"."+sig, b)
	}},
	{"altered by one word", func(g *siege) {
		b := bytes.Replace(g.own.Data, []byte("inject_observation"), []byte("halt"), 1)
		g.send(victims, g.own.Header.Get(actions.SignatureHeader), b)
	}},
	{"altered by a blank at its end", func(g *siege) {
		g.send(victims, g.own.Header.Get(actions.SignatureHeader), append(bytes.Clone(g.own.Data), ' '))
	}},
	{"replayed, to the run it was for", func(g *siege) {
		for range 3 {
			g.send(victims, g.own.Header.Get(actions.SignatureHeader), g.own.Data)
		}
	}},
	{"cross-run: another run's halt as it was signed", func(g *siege) {
		g.send(victims, g.taken.Header.Get(actions.SignatureHeader), g.taken.Data)
	}},
	{"cross-run: another run's halt signed for the victim's subject", func(g *siege) {
		g.send(victims, g.genuine.Sign(actions.DomainControl, victims, g.taken.Data), g.taken.Data)
	}},
	{"cross-tenant", func(g *siege) {
		b := g.halt("ctl_a4", func(c *actions.Control) { c.Tenant = "other" })
		g.send(victims, g.genuine.Sign(actions.DomainControl, victims, b), b)
	}},
	{"cross-task", func(g *siege) {
		b := g.halt("ctl_a5", func(c *actions.Control) { c.Task = "order-9" })
		g.send(victims, g.genuine.Sign(actions.DomainControl, victims, b), b)
	}},
	{"withheld: what is signed as a record", func(g *siege) {
		b := g.halt("ctl_a6", func(*actions.Control) {})
		g.send(victims, g.genuine.Sign(actions.DomainRecord, victims, b), b)
	}},
	{"withheld: a reason that is not acted", func(g *siege) {
		b := g.halt("ctl_a7", func(c *actions.Control) { c.Reason = actions.Shadow })
		g.send(victims, g.genuine.Sign(actions.DomainControl, victims, b), b)
	}},
	{"expired", func(g *siege) {
		b := g.halt("ctl_a8", func(c *actions.Control) { c.Expires = time.Now().Add(-time.Minute) })
		g.send(victims, g.genuine.Sign(actions.DomainControl, victims, b), b)
	}},
	{"a verdict aimed at another run", func(g *siege) {
		v := []byte(`{"v":1,"event":"e","call_id":"c1","decision":"halt","controls":[],"replay":null}`)
		theirs := events.VerdictSubject("default", "support", "r2", "token")
		for _, sig := range []string{"", g.genuine.Sign(actions.DomainVerdict, theirs, v), g.forger.Sign(actions.DomainVerdict, theirs, v)} {
			g.send(events.VerdictSubject("default", "support", victimsRun, "token"), sig, v)
		}
	}},
	{"a genuine verdict on a question that was not asked", func(g *siege) {
		v := []byte(`{"v":1,"event":"e","call_id":"c1","decision":"halt","controls":[],"replay":null}`)
		to := events.VerdictSubject("default", "support", victimsRun, "token")
		g.send(to, g.genuine.Sign(actions.DomainVerdict, to, v), v)
	}},
	{"an acknowledgement steered onto the control subject", func(g *siege) {
		m := &nats.Msg{Subject: events.EventSubject("default", "support", "hostile", "h1"), Reply: victims, Data: []byte("{}")}
		if err := g.nc.PublishMsg(m); err != nil {
			g.t.Fatal(err)
		}
	}},
	{"a stored control fetched for the victim's control subject", (*siege).fetch},
	{"an event id squatted", (*siege).squat},
	{"junk in every decision log", (*siege).junk},
	{"an operator's act and a policy nobody trusted signed", (*siege).acts},
}

// fetch has the server deliver stored controls to the victim.
func (g *siege) fetch() {
	p := events.Partition("default", "order-2", partitions)
	s, err := g.js.Stream(g.bounded(), events.ControlStream(p))
	if err != nil {
		g.t.Fatal(err)
	}
	c, err := s.CreateConsumer(g.bounded(), jetstream.ConsumerConfig{AckPolicy: jetstream.AckNonePolicy})
	if err != nil {
		g.t.Fatal(err)
	}
	ask := "$JS.API.CONSUMER.MSG.NEXT." + events.ControlStream(p) + "." + c.CachedInfo().Name
	if err := g.nc.PublishRequest(ask, victims, []byte(`{"batch":50,"no_wait":true}`)); err != nil {
		g.t.Fatal(err)
	}
}

// squat stores events of another run under ids that the victim's next event
// might have had; without guessing 128 bits it can only take ids that were used.
func (g *siege) squat() {
	all := g.dump()
	for i, line := range all {
		var e struct{ ID string }
		if err := json.Unmarshal(line, &e); err != nil {
			g.t.Fatal(err)
		}
		hostile := callOf("default", "support", "h2", i)
		hostile = strings.Replace(hostile, fmt.Sprintf(`"id":"h2-%d"`, i), `"id":"`+e.ID+`"`, 1)
		g.publishRaw(events.EventSubject("default", "support", "t1", "h2"), e.ID, []byte(hostile))
	}
}

// junk fills the decision logs with what no owner wrote, some of it through
// acknowledgements that the server was made to put there.
func (g *siege) junk() {
	for p := range partitions {
		for i := range 50 {
			task := taskOn(p)
			g.send(events.ControlLogSubject(p, "default", "support", victimsRun), "", []byte("junk"))
			g.send(events.EpochSubject(p), g.forger.Sign(actions.DomainRecord, events.EpochSubject(p), []byte(`{"v":1,"epoch":9e18}`)), []byte(`{"v":1,"epoch":9e18}`))
			m := &nats.Msg{
				Subject: events.EventSubject("default", "support", task, "h3"), Reply: events.ControlLogSubject(p, "default", "support", victimsRun),
				Data: []byte(fmt.Sprint(i)),
			}
			if err := g.nc.PublishMsg(m); err != nil {
				g.t.Fatal(err)
			}
		}
	}
}

// acts publishes operators' acts and policies on every partition.
func (g *siege) acts() {
	act, err := actions.SignOperator(g.forger, events.Operator{Action: "halt", Reason: "forged", By: "attacker"})
	if err != nil {
		g.t.Fatal(err)
	}
	stolen, err := actions.SignOperator(g.genuine, events.Operator{Action: "halt", Reason: "a control key is no operator's", By: "attacker"})
	if err != nil {
		g.t.Fatal(err)
	}
	altered := act
	altered.Sig = ""
	for p := range partitions {
		for i, o := range []events.Operator{act, altered, stolen} {
			g.reserved(p, events.Event{ID: fmt.Sprintf("act-%d-%d", p, i), Kind: events.OperatorAct, Operator: &o}, nil)
		}
		other := preset(g.t, "default")
		policy := events.Policy{Name: other.Name, Digest: other.Digest, YAML: other.YAML}
		for i, s := range []*actions.Signer{nil, &g.forger} {
			g.reserved(p, events.Event{ID: fmt.Sprintf("policy-%d-%d", p, i), Kind: events.PolicyChange, Policy: &policy}, s)
		}
	}
}

// reserved publishes an event of our own kinds on a partition.
func (g *siege) reserved(p int, e events.Event, s *actions.Signer) {
	g.t.Helper()
	e.V, e.Time = events.Version, baseTime
	body, err := events.Encode(e)
	if err != nil {
		g.t.Fatal(err)
	}
	sig := ""
	if s != nil {
		sig = s.Sign(actions.DomainRecord, events.ReservedSubject(p, e.Kind), body)
	}
	if _, err := g.bus.PublishSigned(g.bounded(), p, string(e.Kind), e.ID, sig, body); err != nil {
		g.t.Fatal(err)
	}
}

// taskOn is a task of tenant default on a partition.
func taskOn(p int) string {
	for i := 0; ; i++ {
		if task := fmt.Sprint("task", i); events.Partition("default", task, partitions) == p {
			return task
		}
	}
}

// No attack is obeyed, alone or after all the others, and none silences a
// partition: a genuine halt arrives on each afterwards.
func TestAttacksAreObeyedBy0(t *testing.T) {
	g := newSiege(t)
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			g.t = t
			a.do(g)
			if err := g.nc.FlushWithContext(g.bounded()); err != nil {
				t.Fatal(err)
			}
			g.alive(g.victim)
			if h := g.victim.Halted(); h != nil {
				t.Fatalf("the victim was halted by %+v", h.Control)
			}
			if told := g.victim.Observations(); len(told) > 0 {
				t.Errorf("the victim was told %q", told)
			}
			if d := g.detail(victimsRun); d.Halted || d.Gaps != 0 || d.Phase != "live" {
				t.Errorf("the victim stands as %+v", d.Run)
			}
		})
	}
	g.t = t
	for p := range partitions {
		r := g.worker(g.data, worker.Config{Agent: "support", Task: taskOn(p), Run: fmt.Sprint("after", p)})
		g.act(events.Operator{Action: "halt", Scope: events.Scope{Tenant: "default", Task: taskOn(p), Run: r.ID()}})
		receive(t, "a halt on partition "+fmt.Sprint(p), r.Done())
	}
	standing, err := g.fleet().Status(g.bounded())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range standing {
		for _, p := range s.Partitions {
			if !strings.HasPrefix(p.Policy, "sundry@") {
				t.Errorf("partition %d runs policy %s", p.Partition, p.Policy)
			}
			if p.Junk == 0 {
				t.Errorf("partition %d met no junk; nothing was tried", p.Partition)
			}
		}
	}
}
