package processor

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// soon is later than any of these tests lasts.
func soon() time.Time { return time.Now().Add(time.Hour) }

func TestTheFenceIsNotRaisedWithoutAGrant(t *testing.T) {
	s, h := newSite(t), newHand()
	s.run(s.config("late", h))
	g := h.give(time.Now().Add(-time.Second)) // it ran out before the partition could be opened
	s.until("the grant is given back", func() bool { return h.back(g) })
	if epochs, _ := s.records(); epochs != 0 {
		t.Errorf("%d epochs were written", epochs)
	}
	fresh := h.give(soon())
	s.until("the partition is opened with a fresh one", func() bool { n, _ := s.records(); return n == 1 })
	if h.back(fresh) {
		t.Error("the fresh grant was given back")
	}
}

// What no swap guards needs a grant that holds: an answer, a copy, a tick. What
// the log guards does not.
func TestWithoutAGrantNothingIsSaid(t *testing.T) {
	s, h := newSite(t), newHand()
	cfg := s.config("slow", h)
	g := h.give(soon())
	var it *Processor
	var lapse atomic.Bool
	cfg.Boundary = func(effect string) {
		if effect != "log" || !lapse.Load() {
			return
		}
		g.End() // it runs out while the batch is under way
		if _, err := it.Publish(t.Context(), 0, events.Event{Kind: events.Tick, Time: time.Now()}); !errors.Is(err, ErrNotOwner) {
			t.Errorf("a tick without a grant: %v", err)
		}
		if got := it.Status(); len(got) != 0 {
			t.Errorf("without a grant it says %+v", got)
		}
	}
	it, _ = s.run(cfg)
	verdicts, err := s.nc.SubscribeSync(events.VerdictSubject("default", "a", "r", "*"))
	if err != nil {
		t.Fatal(err)
	}
	s.until("partition 0 is owned", func() bool { return len(it.Status()) == 1 })
	if _, err := it.Publish(t.Context(), 0, events.Event{Kind: events.Tick, Time: time.Now()}); err != nil {
		t.Errorf("with a grant: %v", err)
	}
	s.call(1, "first")
	if _, err := verdicts.NextMsg(patient); err != nil {
		t.Fatalf("with a grant: %v", err)
	}

	lapse.Store(true)
	s.call(2, "second")
	s.until("the grant is given back", func() bool { return h.back(g) })
	if err := s.nc.Flush(); err != nil { // it answers through this connection
		t.Fatal(err)
	}
	if n, _, err := verdicts.Pending(); n != 0 || err != nil {
		t.Errorf("without a grant: %d verdicts, %v", n, err)
	}
	if err := it.Ask(t.Context(), func(*state.Partition, *actions.Policy) error { return errors.New("asked") }); err != nil {
		t.Errorf("without a grant it answers for a partition: %v", err)
	}

	g = h.give(soon())
	lapse.Store(false)
	s.until("it goes on with another grant", func() bool { return applied(it) >= 3 })
	if _, decisions := s.records(); decisions == 0 {
		t.Error("two equal calls are no decision: the test proves nothing")
	}
}

// Two that hold a grant for one partition: the later one fences the other, which
// lets go of it, lives on, and is an owner like any other with its next grant.
func TestAFencedPartitionIsLetGo(t *testing.T) {
	s, h1, h2 := newSite(t), newHand(), newHand()
	first, stop1 := s.run(s.config("first", h1))
	g1 := h1.give(soon())
	s.until("the first owns it", func() bool { return len(first.Status()) == 1 })
	s.call(1, "")
	s.until("the first has applied", func() bool { return applied(first) == 1 })

	second, stop2 := s.run(s.config("second", h2))
	g2 := h2.give(soon())
	s.until("the second owns it", func() bool { return applied(second) == 1 })
	s.call(2, "") // repeats: a decision
	s.until("the first is fenced", func() bool { return h1.back(g1) })
	s.until("the second has decided", func() bool { return applied(second) == 2 })

	h1.give(soon())
	s.until("the first owns it again", func() bool { return applied(first) == 2 })
	for n := 3; n < 8; n++ {
		s.call(n, "")
	}
	s.until("the second is fenced", func() bool { return h2.back(g2) })
	s.until("the first has applied all", func() bool { return applied(first) == 7 })
	for _, stop := range []func() error{stop1, stop2} {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
	s.once()
}

// What an owner decided and could not log any more is not committed either: where
// the one that fenced it never got that far, it says it with its next grant.
func TestWhatAFencedOwnerDecidedIsNotForgotten(t *testing.T) {
	s, h1, h2 := newSite(t), newHand(), newHand()
	first, _ := s.run(s.config("first", h1))
	g1 := h1.give(soon())
	s.call(1, "")
	s.until("the first has applied", func() bool { return applied(first) == 1 })
	second, stop := s.run(s.config("second", h2))
	h2.give(soon())
	s.until("the second owns it", func() bool { return applied(second) == 1 })
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	s.call(2, "")
	s.until("the first is fenced", func() bool { return h1.back(g1) })
	if _, decisions := s.records(); decisions != 0 {
		t.Fatalf("%d decisions are logged", decisions)
	}
	h1.give(soon())
	s.until("the first owns it again", func() bool { return applied(first) == 2 })
	if _, decisions := s.records(); decisions != 1 {
		t.Errorf("%d decisions are logged, want 1", decisions)
	}
}

// once fails the test where the log holds a position twice.
func (s *site) once() {
	s.Helper()
	log, err := s.bus.OpenLog(s.Context(), 0, func(natsbus.Record) bool { return false })
	if err != nil {
		s.Fatal(err)
	}
	seen := map[actions.Position]bool{}
	err = log.ReadFrom(s.Context(), 0, func(r natsbus.Record) error {
		if strings.Contains(r.Subject, "._lw.") {
			return nil
		}
		c, err := actions.DecodeControl(r.Data)
		if seen[c.At] {
			s.Errorf("position %+v stands twice", c.At)
		}
		seen[c.At] = true
		return err
	})
	if err != nil || len(seen) == 0 {
		s.Errorf("%d decisions, %v", len(seen), err)
	}
}

// Whoever comes to own all for ever has nobody beside it: being fenced is a
// contradiction.
func TestAPermanentOwnerEndsWhereItIsFenced(t *testing.T) {
	s, sole, h := newSite(t), newHand(), newHand()
	_, stop := s.run(s.config("sole", sole))
	sole.give(time.Time{})
	s.until("it owns", func() bool { n, _ := s.records(); return n == 1 })
	s.run(s.config("intruder", h))
	h.give(soon())
	s.until("the intruder owns", func() bool { n, _ := s.records(); return n == 2 })
	s.call(1, "")
	s.call(2, "")
	s.until("both have read it", func() bool { _, n := s.records(); return n > 0 })
	s.until("it has ended", func() bool { return len(sole.Grants()) == 0 })
	if err := stop(); !errors.Is(err, natsbus.ErrFenced) {
		t.Errorf("it ended with %v", err)
	}
}

// A partition counts as ready when Taken has returned.
func TestReadyWaitsForWhatIsBrought(t *testing.T) {
	s, h := newSite(t), newHand()
	s.call(1, "")
	cfg := s.config("one", h)
	called, release := make(chan uint64, 1), make(chan struct{})
	var it *Processor
	cfg.Taken = func(_ context.Context, n int) {
		called <- applied(it) + uint64(n)
		<-release
	}
	h.give(soon())
	it, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- it.Run(ctx) }()
	select {
	case at := <-called:
		if at != 1 {
			t.Errorf("taken at %d, before it had caught up", at)
		}
	case <-time.After(patient):
		t.Fatal("Taken is not called")
	}
	select {
	case <-it.Ready():
		t.Error("ready before Taken returned")
	default:
	}
	close(release)
	select {
	case <-it.Ready():
	case <-time.After(patient):
		t.Error("not ready")
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestKeysThatAreNotTheBus(t *testing.T) {
	s, h := newSite(t), newHand()
	it, stop := s.run(s.config("first", h))
	h.give(soon())
	s.until("it owns", func() bool { return len(it.Status()) == 1 })
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	other := newSigner(t)
	for _, c := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"the same keys", func(*Config) {}, ""},
		{"another control key", func(c *Config) { c.Signer, c.Trusted = other, actions.NewKeyRing(other.Public()) }, "signed with control key " + s.signer.KeyID()},
		{"another that trusts the first", func(c *Config) { c.Signer, c.Trusted = other, actions.NewKeyRing(other.Public(), s.signer.Public()) }, ""},
		{"another hash key", func(c *Config) { c.HashKey[0] = 1 }, "hashed with key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := s.config("second", newHand())
			c.change(&cfg)
			it, err := New(t.Context(), cfg)
			if err == nil {
				it.Close()
			}
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
