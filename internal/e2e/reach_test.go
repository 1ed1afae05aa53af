package e2e

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// A halt of an agent reaches each of its 500 live workers, and none of another
// agent. How long the last one waits is printed; only a generous bound is
// asserted.
func TestAHaltReachesFiveHundredWorkers(t *testing.T) {
	const workers, connections, others = 500, 10, 5
	s := newStage(t, "default")
	data, _ := s.manned()
	conns := make([]*nats.Conn, connections)
	for i := range conns {
		nc, err := nats.Connect(s.url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		conns[i] = nc
	}
	runs := make([]*worker.Run, workers+others)
	var wg sync.WaitGroup
	for c, nc := range conns {
		wg.Go(func() {
			for i := c; i < len(runs); i += connections {
				agent := "support"
				if i >= workers {
					agent = "coder"
				}
				r, err := worker.Start(s.bounded(), worker.Config{
					Conn: nc, Agent: agent, Task: fmt.Sprint("task-", i), Run: fmt.Sprint("run-", i),
					NoGuard: true, Wait: patience, Trusted: s.trusted(data),
				})
				if err != nil {
					t.Errorf("start %d: %v", i, err)
					return
				}
				t.Cleanup(r.Close)
				runs[i] = r
			}
		})
	}
	if wg.Wait(); t.Failed() {
		t.FailNow()
	}

	asked := time.Now()
	waited := make([]time.Duration, workers)
	for i, r := range runs[:workers] {
		wg.Go(func() {
			select {
			case <-r.Done():
				waited[i] = time.Since(asked)
			case <-time.After(patience):
				t.Errorf("%s was not reached", r.ID())
			}
		})
	}
	s.act(events.Operator{Action: "halt", Scope: events.Scope{Agent: "support"}, Reason: "release", By: "lee"})
	wg.Wait()
	slices.Sort(waited)
	t.Logf("the halt reached %d workers: half of them after %v, the last one after %v", workers, waited[workers/2], waited[workers-1])
	for _, r := range runs[workers:] {
		s.alive(r)
	}
}
