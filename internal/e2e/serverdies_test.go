package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// A server of three that dies takes nothing with it: the fleet goes on, whatever
// that server led, and decides as one.
func TestAServerDies(t *testing.T) {
	c := newCrew(t, 3, 0)
	for _, n := range names {
		c.join(n, "")
	}
	c.shares(3)
	c.feed(recorded(t, 96))
	c.shares(3)
	began := time.Now()
	dead := seed(t).IntN(len(c.servers))
	c.servers[dead].Shutdown()
	for p := range partitions {
		c.storeOn(p)
	}
	t.Logf("server %d dies: every partition stores again after %v", dead+1, time.Since(began).Round(time.Millisecond))
	c.shares(3)
	t.Logf("every partition has an owner that applied it after %v", time.Since(began).Round(time.Millisecond))
	for _, n := range names {
		c.leave(n).stop(t)
	}
	live := decisions(c.logged())
	if len(live) == 0 {
		t.Fatal("nothing was decided: the test proves nothing")
	}
	c.same("dump", live, replayed(c.stage, nil, c.dump()))
}

// storeOn stores an event on a partition, as a worker that tries again.
func (c *crew) storeOn(p int) {
	c.t.Helper()
	task := ""
	for i := 0; task == "" || events.Partition(events.DefaultTenant, task, partitions) != p; i++ {
		task = fmt.Sprint("late-", i)
	}
	e := events.Event{
		V: 1, ID: "late-" + fmt.Sprint(p), Kind: events.RunStart, Tenant: events.DefaultTenant, Agent: "x", Task: task, Run: task,
		Seq: 1, Time: time.Now(), Start: &events.Start{},
	}
	body, err := events.Encode(e)
	if err != nil {
		c.t.Fatal(err)
	}
	m := nats.NewMsg(events.EventSubject(e.Tenant, e.Agent, e.Task, e.Run))
	m.Data = body
	m.Header.Set("Nats-Msg-Id", e.ID)
	c.until("partition stores", func() bool {
		ctx, cancel := context.WithTimeout(c.t.Context(), time.Second)
		defer cancel()
		_, err := c.js.PublishMsg(ctx, m)
		return err == nil
	})
}
