package e2e

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// While a partition has no owner that answers, every answer that may lack
// something says so; and a policy that was pushed then reaches it.
func TestAPartitionWithoutAnOwner(t *testing.T) {
	c := newCrew(t, 1, 3*time.Second)
	c.join("a", "")
	c.join("b", "")
	c.shares(2)
	for i := range 20 { // over all partitions
		c.publish(events.Event{
			V: 1, ID: fmt.Sprint("start-", i), Kind: events.RunStart, Tenant: events.DefaultTenant, Agent: "x",
			Task: fmt.Sprint("t", i), Run: fmt.Sprint("r", i), Seq: 1, Time: time.Now(), Start: &events.Start{},
		})
	}
	c.shares(2)
	runs, partial, err := c.fleet().Runs(c.bounded(), events.Scope{}, "", 100)
	if err != nil || partial || len(runs) != 20 {
		t.Fatalf("of two: %d runs, partial %v, %v", len(runs), partial, err)
	}

	c.signal(c.members["a"], syscall.SIGSTOP)
	some, partial, err := c.fleet().Runs(c.bounded(), events.Scope{}, "", 100)
	if err != nil || !partial || len(some) == 0 || len(some) >= 20 {
		t.Errorf("one is frozen: %d runs, partial %v, %v", len(some), partial, err)
	}
	have := map[string]bool{}
	for _, r := range some {
		have[r.Run] = true
	}
	for _, r := range runs {
		found, err := c.fleet().Details(c.bounded(), events.Scope{Run: r.Run})
		if have[r.Run] && (err != nil || len(found) != 1) || !have[r.Run] && !errors.Is(err, fleet.ErrPartial) {
			t.Errorf("%s: %d found, %v", r.Run, len(found), err)
		}
	}
	done, err := c.fleet().Act(c.bounded(), events.Operator{Action: "halt", Scope: events.Scope{Agent: "y"}, Reason: "drill", By: "lee"})
	if !errors.Is(err, fleet.ErrPartial) || len(done) != partitions/2 {
		t.Errorf("a halt of all partitions: in force on %v, %v", done, err)
	}

	if changed, err := app.PushPolicy(t.Context(), c.js, preset(t, "forty-times")); err != nil || !changed {
		t.Fatalf("push: %v, %v", changed, err)
	}
	c.leave("a").kill()
	c.shares(1)
	c.until("every partition runs the policy", func() bool {
		all, err := c.fleet().Status(c.bounded())
		if err != nil || len(all) != 1 || len(all[0].Partitions) != partitions {
			return false
		}
		for _, p := range all[0].Partitions {
			if !strings.HasPrefix(p.Policy, "forty-times@") {
				return false
			}
		}
		return true
	})
	again, partial, err := c.fleet().Runs(c.bounded(), events.Scope{}, "", 100)
	if err != nil || partial || len(again) != 20 {
		t.Errorf("of one that took all over: %d runs, partial %v, %v", len(again), partial, err)
	}
}
