package e2e

import (
	"context"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/worker"
)

// A processor keeps track of escalations with no more rights than provision
// gives it.
func TestAccountsLetEscalationsBeFollowed(t *testing.T) {
	x := newAccounts(t)
	r := x.worker(worker.Config{Tenant: "a", Agent: "support", Task: "t1", Run: "r1"})
	for range 10 {
		if _, err := r.Do(x.bounded(), "look", `{"at":1}`, func(context.Context) (any, error) { return "nothing", nil }); err != nil {
			break
		}
	}
	receive(t, "the halt", r.Done())
	s := stage{t: t}
	s.until("the escalation is open", func() bool { return x.app.EscalationsOpen() == 1 })
	kv, err := x.js("operator").KeyValue(x.bounded(), "LW_ESCALATIONS")
	if err != nil {
		t.Fatal(err)
	}
	if keys, err := kv.ListKeysFiltered(x.bounded(), "open.>"); err != nil {
		t.Error(err)
	} else if _, some := <-keys.Keys(); !some {
		t.Error("the open escalation is not kept")
	}
}
