package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// A policy takes effect at its place among the events, even where both are
// applied in one batch: what was decided before it carries the policy before.
func TestAPolicyTakesEffectAtItsPlace(t *testing.T) {
	s := newStage(t, "sundry")
	data := t.TempDir()
	p := s.start(data, "")
	s.wait(p)
	p.stop(t)

	const task = "placed"
	at := events.Partition(events.DefaultTenant, task, partitions)
	call := func(n int) events.Event {
		return events.Event{
			V: 1, ID: fmt.Sprintf("placed-%d", n), Kind: events.ToolCall, Tenant: events.DefaultTenant, Agent: "a", Task: task, Run: "r",
			Seq: uint64(n), Round: n, Time: time.Now(), Call: &events.Call{ID: fmt.Sprint(n), Tool: "look", Args: events.RawJSON(`{}`)},
		}
	}
	s.publish(call(1))
	s.publish(call(2))
	yaml, _ := actions.PresetYAML("default")
	body, err := events.Encode(events.Event{
		V: 1, ID: "placed-policy", Kind: events.PolicyChange, Time: time.Now(),
		Policy: &events.Policy{Name: "default", Digest: preset(t, "default").Digest, YAML: string(yaml)},
	})
	if err != nil {
		t.Fatal(err)
	}
	sig := s.signer(data).Sign(actions.DomainRecord, events.ReservedSubject(at, events.PolicyChange), body)
	if _, err := s.bus.PublishSigned(t.Context(), at, string(events.PolicyChange), "placed-policy", sig, body); err != nil {
		t.Fatal(err)
	}
	p = s.start(data, "")
	s.wait(p)
	p.stop(t)
	logged := s.loggedOn(at)
	if len(logged) != 1 || !strings.HasPrefix(logged[0].Policy, "sundry@") {
		t.Errorf("decided before the change: %+v", logged)
	}
}
