package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// What no role may publish to with its credentials, and what none may hear.
var (
	workersMayNot = []string{
		"lw.ev.a.coder.t1.r1", "lw.ev.b.support.t1.r1", "lw.ev._lw.operator.t1.r1", "lw.ev.a.support.t1.r1.x",
		"lw.evp.0.a.support", "lw.evp.0.a.coder", "lw.evp.0._lw.operator", "lw.evp.0._lw.policy", "lw.evp.0._lw.tick",
		"lw.ctl.a.support.r1", "lw.ctl.a.coder.r1", "lw.ctl.b.support.r1", "lw.vd.a.support.r1.token", "lw.vd.a.coder.r1.token",
		"lw.ctlp.0.a.support.r1", "lw.decp.0._lw.epoch", "lw.dlq.0.1", "lw.q.act", "lw.q.runs", "$SRV.PING",
		"$KV.LW_POLICY.policy", "$KV.LW_HALTS.all", "$KV.LW_OWNERS.p.0", "$KV.LW_ESCALATIONS.open.0.x", "$KV.LW_META.partitions",
		"$JS.API.CONSUMER.CREATE.LW_EV_00", "$JS.API.CONSUMER.CREATE.LW_CTL_00.c.lw.ctlp.0.a.coder.r1", "$JS.API.CONSUMER.DURABLE.CREATE.LW_EV_00.c",
		"$JS.API.CONSUMER.MSG.NEXT.LW_EV_00.c", "$JS.API.CONSUMER.DELETE.LW_EV_00.c", "$JS.API.STREAM.MSG.GET.LW_EV_00",
		"$JS.API.STREAM.INFO.LW_EV_00", "$JS.API.STREAM.PURGE.LW_EV_00", "$JS.API.STREAM.DELETE.LW_EV_00", "$JS.API.STREAM.CREATE.MINE",
		"$JS.API.STREAM.UPDATE.LW_EV_00", "$JS.API.STREAM.MSG.DELETE.LW_EV_00", "$JS.API.STREAM.NAMES", "$JS.API.INFO",
		"$JS.API.DIRECT.GET.LW_CTL_00", "$JS.API.DIRECT.GET.KV_LW_OWNERS.$KV.LW_OWNERS.p.0", "$SYS.REQ.SERVER.PING", "_INBOX_coder.x",
	}
	workersHearNot = []string{
		">", "lw.>", "lw.ctl.>", "lw.ctl.a.coder.*", "lw.ctl.a.*.r1", "lw.ctl.b.support.*", "lw.vd.a.coder.*.*", "lw.vd.>",
		"lw.ev.a.support.*.*", "lw.evp.>", "lw.ctlp.>", "lw.q.act", "_INBOX.>", "_INBOX_coder.>", "_INBOX_processor.>", "$SRV.PING", "$JS.>",
	}
	nobodyMay = []string{ // but the server's operator
		"$JS.API.STREAM.DELETE.LW_EV_00", "$JS.API.STREAM.PURGE.LW_CTL_00", "$JS.API.STREAM.MSG.DELETE.LW_EV_00", "$JS.API.STREAM.UPDATE.LW_EV_00",
		"$JS.API.STREAM.SNAPSHOT.LW_EV_00", "$JS.API.STREAM.RESTORE.LW_EV_00", "$JS.API.ACCOUNT.PURGE.LOOPWATCH", "$SYS.REQ.SERVER.PING",
	}
	onlyProcessors = []string{
		"lw.ctl.a.support.r1", "lw.vd.a.support.r1.token", "lw.ctlp.0.a.support.r1", "lw.decp.0._lw.epoch", "lw.dlq.0.1",
		"lw.evp.0._lw.policy", "lw.evp.0._lw.tick", "$KV.LW_META.partitions", "$KV.LW_OWNERS.p.0", "$KV.LW_ESCALATIONS.open.0.x", "$JS.API.STREAM.CREATE.MINE",
	}
)

func TestAccountsRefuseTheRest(t *testing.T) {
	x := newAccounts(t)
	for _, c := range []struct {
		user               string
		publish, subscribe [][]string
	}{
		{"worker.a.support", [][]string{workersMayNot, nobodyMay}, [][]string{workersHearNot}},
		{"viewer", [][]string{
			nobodyMay, onlyProcessors,
			{
				"lw.q.act", "lw.evp.0.a.support", "lw.evp.0._lw.operator", "$KV.LW_POLICY.policy", "$KV.LW_HALTS.all",
				"$JS.API.CONSUMER.CREATE.LW_EV_00", "$JS.API.CONSUMER.CREATE.LW_EV_00.c", "$JS.API.CONSUMER.DURABLE.CREATE.LW_EV_00.c",
				"$JS.API.CONSUMER.MSG.NEXT.LW_EV_00.c",
			},
		}, [][]string{{">", "lw.>", "lw.ctl.>", "lw.q.act", "lw.evp.>", "_INBOX.>", "_INBOX_operator.>"}}},
		{"operator", [][]string{nobodyMay, onlyProcessors, {"lw.evp.0._lw.operator"}}, [][]string{{">", "lw.q.act", "_INBOX_viewer.>"}}},
		{"gateway", [][]string{nobodyMay, onlyProcessors, {"$KV.LW_POLICY.policy"}}, [][]string{{">", "lw.q.act"}}},
		{"processor", [][]string{nobodyMay, {"$KV.LW_POLICY.policy", "$KV.LW_HALTS.all"}}, [][]string{{">", "_INBOX_operator.>"}}},
	} {
		nc := x.connect(c.user)
		for _, subjects := range c.publish {
			for _, s := range subjects {
				if err := nc.Publish(s, []byte("{}")); err != nil {
					t.Fatal(err)
				}
				x.refused(nc, c.user+" may publish to", s)
			}
		}
		for _, subjects := range c.subscribe {
			for _, s := range subjects {
				if _, err := nc.SubscribeSync(s); err != nil {
					t.Fatal(err)
				}
				x.refused(nc, c.user+" may listen to", s)
			}
		}
	}
	if nc, err := nats.Connect(x.url(), nats.NoReconnect()); err == nil {
		nc.Close()
		t.Error("a connection without a key is taken")
	}
}

// refused wants the server to have said no to the last thing said about a
// subject.
func (x *accounts) refused(nc *nats.Conn, what, subject string) {
	x.t.Helper()
	if err := nc.FlushWithContext(x.bounded()); err != nil {
		x.t.Fatal(err)
	}
	err := nc.LastError()
	if err == nil || !strings.Contains(strings.ToLower(err.Error()), `"`+strings.ToLower(subject)+`"`) {
		x.t.Errorf("%s %s (%v)", what, subject, err)
	}
}

// url is where the server listens.
func (x *accounts) url() string { return x.connect("viewer").ConnectedUrl() }

// A worker may name any subject as the place for an acknowledgement, and the
// server puts it there. It does not leave the worker's account: no stream of
// ours takes it, and another worker that gets it as a control obeys nothing.
func TestASteeredReplyReachesNoStreamOfOurs(t *testing.T) {
	x := newAccounts(t)
	victim := x.worker(worker.Config{Tenant: "a", Agent: "coder", Task: "t2", Run: "r2"})
	hostile := x.connect("worker.a.support")
	bus, err := natsbus.New(x.connect("viewer"), partitions)
	if err != nil {
		t.Fatal(err)
	}
	last := func() (logs, letters uint64) {
		for p := range partitions {
			s, err := bus.LogState(x.bounded(), p)
			if err != nil {
				t.Fatal(err)
			}
			all, err := bus.DeadLetters(x.bounded(), p)
			if err != nil {
				t.Fatal(err)
			}
			logs, letters = logs+s.Last, letters+uint64(len(all))
		}
		return logs, letters
	}
	logs, letters := last()
	targets := []string{
		events.ControlSubject("a", "coder", "r2"), events.VerdictSubject("a", "coder", "r2", "token"),
		events.ControlLogSubject(0, "a", "coder", "r2"), events.WithheldSubject(1, "a", "coder", "r2"), events.EpochSubject(2),
		events.ReservedSubject(3, events.OperatorAct), events.ReservedSubject(0, events.PolicyChange), events.DeadLetterSubject(0, 7),
		events.ControlSubject("b", "coder", "r2"), "$KV.LW_POLICY.policy", "$KV.LW_OWNERS.p.0", "lw.q.act",
	}
	n := 0
	for _, to := range targets {
		for _, m := range []*nats.Msg{
			{Subject: events.EventSubject("a", "support", "t1", "r1"), Data: []byte(callOf("a", "support", "r1", n))},
			{Subject: events.EventSubject("a", "support", "t1", "r1"), Data: []byte(`no JSON at all`)},
			{Subject: "$JS.API.DIRECT.GET.KV_LW_POLICY.$KV.LW_POLICY.policy"},
		} {
			n++
			m.Reply = to
			if err := hostile.PublishMsg(m); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := hostile.FlushWithContext(x.bounded()); err != nil {
		t.Fatal(err)
	}
	x.until("the junk is in the dead letters", func() bool {
		_, now := last()
		return now >= letters+uint64(len(targets))
	})
	if now, refused := last(); now != logs || refused != letters+uint64(len(targets)) {
		t.Errorf("the decision logs grew by %d, the dead letters by %d of %d", now-logs, refused-letters, len(targets))
	}
	if _, err := victim.Call(x.bounded(), "look", nil); err != nil || victim.Halted() != nil {
		t.Errorf("the victim: %v, halted by %+v", err, victim.Halted())
	}
	if _, err := x.fleet("operator").Act(x.bounded(), events.Operator{
		Action: "halt", Scope: events.Scope{Tenant: "a", Task: "t2", Run: "r2"}, Reason: "the owner goes on", By: "test",
	}); err != nil {
		t.Fatal(err)
	}
	receive(t, "the genuine halt", victim.Done())
}

// until waits for a condition.
func (x *accounts) until(what string, ok func() bool) {
	x.t.Helper()
	(&stage{t: x.t}).until(what, ok)
}

// callOf is a tool call of a run of task t1 as its worker would say it.
func callOf(tenant, agent, run string, n int) string {
	e := events.Event{
		V: 1, ID: fmt.Sprintf("%s-%d", run, n), Kind: events.ToolCall,
		Tenant: tenant, Agent: agent, Task: "t1", Run: run, Seq: uint64(n + 1), Round: n + 1, Time: baseTime,
		Call: &events.Call{ID: "c", Tool: "look", Args: events.RawJSON(fmt.Sprintf(`{"page":"%s-%d"}`, run, n))},
	}
	b, err := events.Encode(e)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// baseTime is when workers that are played by hand say their events.
var baseTime = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
