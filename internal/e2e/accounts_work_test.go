package e2e

import (
	"context"
	"slices"
	"testing"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// Whatever a role is there for works with the permissions that provision gives
// it: a worker's hello, checks, verdicts, controls and policy through the
// accounts, an operator's halt, resumption, policy, dump and doctor, a viewer's
// lists and stories.
func TestAccountsLetThroughWhatMustWork(t *testing.T) {
	x := newAccounts(t)
	r := x.worker(worker.Config{Tenant: "a", Agent: "support", Task: "t1", Run: "r1"})
	executed := 0
	look := func() (worker.Output, error) {
		return r.Do(x.bounded(), "look", `{"at":1}`, func(context.Context) (any, error) { executed++; return "nothing", nil })
	}
	if first, err := look(); err != nil || first.Text() != "nothing" {
		t.Fatalf("first call: %+v, %v", first, err)
	}
	second, err := look()
	if err != nil || second.Label == "" || executed != 1 {
		t.Fatalf("second call: %+v, %v, executed %d times; want a replay", second, err, executed)
	}
	if told := receive(t, "the observation", r.Controls()); told.Observation == nil || told.Detector != "repeat" {
		t.Fatalf("told %+v", told)
	}
	other := x.worker(worker.Config{Tenant: "b", Agent: "support", Task: "t1", Run: "r1"})

	operator := x.fleet("operator")
	if _, err := operator.Act(x.bounded(), events.Operator{
		Action: "halt", Scope: events.Scope{Tenant: "a", Task: "t1", Run: "r1"}, Reason: "enough", By: "test",
	}); err != nil {
		t.Fatal(err)
	}
	receive(t, "the halt", r.Done())
	if err := r.End(x.bounded(), events.Done, ""); err != nil {
		t.Fatal(err)
	}
	if other.Halted() != nil {
		t.Error("the run of the same name of another tenant is halted too")
	}
	if _, err := operator.Act(x.bounded(), events.Operator{Action: "resume", Scope: events.Scope{Tenant: "a", Task: "t1", Run: "r1"}, By: "test"}); err != nil {
		t.Error(err)
	}
	x.operates()
	x.views()
}

// operates tries the rest of what operators do.
func (x *accounts) operates() {
	t := x.t
	t.Helper()
	if changed, err := app.PushPolicy(x.bounded(), x.js("operator"), preset(t, "default")); err != nil || !changed {
		t.Errorf("push a policy: %v, %v", changed, err)
	}
	bus, err := natsbus.New(x.connect("operator"), partitions)
	if err != nil {
		t.Fatal(err)
	}
	if err := bus.CheckMapping(x.bounded()); err != nil {
		t.Error(err)
	}
	cfg := natsbus.Default()
	cfg.Partitions = partitions
	if faults, err := cfg.Faults(x.bounded(), x.js("operator")); err != nil || len(faults) > 0 {
		t.Errorf("faults %v, %v", faults, err)
	}
	total := 0
	for p := range partitions {
		n, _, err := fleet.Dump(x.bounded(), bus, p, "", discard{})
		if err != nil {
			t.Errorf("dump: %v", err)
		}
		total += n
	}
	if total < 6 {
		t.Errorf("%d events were dumped", total)
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// views tries what viewers do.
func (x *accounts) views() {
	t := x.t
	t.Helper()
	viewer := x.fleet("viewer")
	runs, partial, err := viewer.Runs(x.bounded(), events.Scope{}, "", 10)
	if err != nil || partial || len(runs) != 2 {
		t.Errorf("runs %v, partial %v, %v", runs, partial, err)
	}
	details, err := viewer.Details(x.bounded(), events.Scope{Tenant: "a", Run: "r1"})
	if err != nil || len(details) != 1 {
		t.Fatalf("details %v, %v", details, err)
	}
	if n, err := natsbus.Inspect(x.bounded(), x.js("viewer")); err != nil || n != partitions {
		t.Errorf("inspect: %d, %v", n, err)
	}
	bus, err := natsbus.New(x.connect("viewer"), partitions)
	if err != nil {
		t.Fatal(err)
	}
	story, err := fleet.Tell(x.bounded(), bus, &details[0].Run, 1)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, e := range story.Events {
		if e.Kind == events.ToolCall {
			calls++
		}
	}
	if calls != 2 || !slices.ContainsFunc(story.Events, func(e events.Event) bool { return e.Kind == events.OperatorAct }) || len(story.Records) < 2 {
		t.Errorf("the story has %d calls of %d events, %d records", calls, len(story.Events), len(story.Records))
	}
}
