package e2e

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// patience bounds everything these tests wait for.
const patience = time.Minute

// bounded is a context that ends when a test has waited long enough.
func (s *stage) bounded() context.Context {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	s.t.Cleanup(cancel)
	return ctx
}

// receive waits for a value, or for the closing of the channel.
func receive[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}

// until waits for a condition.
func (s *stage) until(what string, ok func() bool) {
	s.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for ctx := s.bounded(); !ok(); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// manned starts a processor on the stage that runs, and returns its data
// directory.
func (s *stage) manned() (data string, p *processor) {
	s.t.Helper()
	data = s.t.TempDir()
	p = s.start(data, "")
	s.wait(p)
	return data, p
}

// trusted returns the keys of a processor, as its data directory publishes
// them.
func (s *stage) trusted(data string) actions.KeyRing {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(data, "keys", "control.pub"))
	if err != nil {
		s.t.Fatal(err)
	}
	key, err := actions.ParsePublicKey(string(text))
	if err != nil {
		s.t.Fatal(err)
	}
	return actions.NewKeyRing(key)
}

// attempt starts a run that trusts the processor of data only and that decides
// nothing by itself.
func (s *stage) attempt(data string, cfg worker.Config) (*worker.Run, error) {
	s.t.Helper()
	cfg.Conn, cfg.NoGuard, cfg.Wait = s.nc, true, patience
	cfg.Trusted = s.trusted(data)
	r, err := worker.Start(s.bounded(), cfg)
	if err == nil {
		s.t.Cleanup(r.Close)
	}
	return r, err
}

// worker starts a run that may start.
func (s *stage) worker(data string, cfg worker.Config) *worker.Run {
	s.t.Helper()
	r, err := s.attempt(data, cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// halted returns the halt that an error is.
func halted(t *testing.T, what string, err error) actions.Control {
	t.Helper()
	var h *worker.HaltedError
	if !errors.As(err, &h) {
		t.Fatalf("%s: %v, want that it is halted", what, err)
	}
	return h.Control
}

// detail returns what operators see of a run.
func (s *stage) detail(run string) fleet.Detail {
	s.t.Helper()
	all, err := s.fleet().Details(s.bounded(), events.Scope{Run: run})
	if err != nil || len(all) != 1 {
		s.t.Fatalf("details of %s: %v, %v", run, all, err)
	}
	return all[0]
}

// settled waits until a run has acknowledged everything, and has ended where it
// is halted, and returns it.
func (s *stage) settled(run string) fleet.Detail {
	s.t.Helper()
	var d fleet.Detail
	s.until(run+" has acknowledged everything", func() bool {
		d = s.detail(run)
		return d.Unacked == 0 && (!d.Halted || d.Phase != "live")
	})
	return d
}

// acted returns the controls of a run in the decision log, in order, once
// everything stored is applied: a worker may hear of a halt before the
// escalation beside it is logged.
func (s *stage) acted(run string) []actions.Control {
	s.t.Helper()
	s.until("everything stored is applied", func() bool {
		_, err := s.fleet().Status(s.t.Context())
		return err != nil || s.behind(s.t.Context(), s.fleet()) == 0 // or nobody is there to wait for
	})
	var out []actions.Control
	for _, c := range s.logged() {
		if c.Run == run && c.Reason == actions.Acted {
			out = append(out, c)
		}
	}
	return out
}

// kinds says which controls a run got.
func kinds(controls []actions.Control) []actions.Kind {
	var out []actions.Kind
	for _, c := range controls {
		out = append(out, c.Kind)
	}
	return out
}

// clock is a worker's clock that moves when the test says so.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Now().UTC().Truncate(time.Millisecond)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}
