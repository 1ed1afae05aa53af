package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/state"
	"github.com/loopwatch/loopwatch/pkg/state/pebblestore"
)

// seed returns the seed of a random test and prints it; LOOPWATCH_SEED repeats
// one.
func seed(t *testing.T) *rand.Rand {
	t.Helper()
	n := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("LOOPWATCH_SEED"), 10, 64); err == nil {
		n = s
	}
	t.Logf("seed %d (LOOPWATCH_SEED=%d repeats it)", n, n)
	return rand.New(rand.NewPCG(n, 0))
}

// A processor killed at random moments while events come in decides the same
// as a replay of its stream; no record stands twice and none is missing.
func TestKilledAtRandom(t *testing.T) {
	const kills = 20
	rnd := seed(t)
	lines := recorded(t, 24)
	s := newStage(t, "sundry")
	data := t.TempDir()
	fed := make(chan struct{})
	step := len(lines)/kills + 1
	next := make(chan struct{}, kills)
	go func() {
		defer close(fed)
		for i := 0; i < len(lines); i += step {
			s.feed(lines[i:min(i+step, len(lines))])
			next <- struct{}{}
		}
	}()
	landed := 0
	for range kills {
		p := s.start(data, "")
		select {
		case <-p.ready:
		case <-p.done:
			t.Fatalf("the processor ended by itself: %v", p.err)
		}
		<-next
		select {
		case <-time.After(time.Duration(rnd.IntN(40)) * time.Millisecond):
		case <-p.done:
		}
		p.kill()
		if p.killed() {
			landed++
		}
	}
	<-fed
	if landed < kills {
		t.Fatalf("%d of %d kills landed: the test proves nothing", landed, kills)
	}
	s.settle(data)
	t.Logf("%d kills", landed)
}

// A processor killed behind each effect of the straight line goes on as if
// nothing had happened.
func TestKilledAtEachEffect(t *testing.T) {
	rnd := seed(t)
	lines := recorded(t, 48)
	for _, effect := range []string{"fetch", "decode", "step", "fill", "record", "log", "answer", "commit"} {
		when := 2 + rnd.IntN(3)
		t.Run(effect, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "sundry")
			data := t.TempDir()
			p := s.start(data, fmt.Sprintf("%s:%d", effect, when))
			for i := 0; i < len(lines); i += 100 {
				s.feed(lines[i:min(i+100, len(lines))])
				s.drain(p)
			}
			if !p.killed() {
				t.Fatal("the kill did not land: the test proves nothing")
			}
			s.settle(data)
		})
	}
}

// drain waits until everything stored is applied, or the processor is gone.
func (s *stage) drain(p *processor) {
	s.t.Helper()
	for s.behind(s.t.Context(), s.fleet()) > 0 {
		select {
		case <-p.done:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// settle lets a processor finish undisturbed and holds what was logged against
// a replay; then it has the whole stream applied again from its first event,
// which must not decide anything anew.
func (s *stage) settle(data string) {
	s.t.Helper()
	p := s.start(data, "")
	s.wait(p)
	p.stop(s.t)
	logged := s.logged()
	live := decisions(logged)
	if len(live) == 0 {
		s.t.Fatal("nothing was decided: the test proves nothing")
	}
	s.same("dump", live, replayed(s, nil, s.dump()))
	s.rewind(data)
	p = s.start(data, "")
	s.wait(p)
	p.stop(s.t)
	if again := s.logged(); len(again) != len(logged) {
		s.t.Errorf("applied again from the first event: %d records, %d before", len(again), len(logged))
	}
	unique := map[string]bool{}
	for _, c := range logged {
		if c.Reason == actions.Acted {
			if unique[c.ID] {
				s.t.Errorf("control %s stands twice", c.ID)
			}
			unique[c.ID] = true
		}
	}
}

// rewind takes every checkpoint back to the beginning by dropping the state.
func (s *stage) rewind(data string) {
	s.t.Helper()
	store, err := pebblestore.Open(data+"/state", pebblestore.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	for n := range partitions {
		part, err := state.OpenPartition(store, n)
		if err != nil {
			s.t.Fatal(err)
		}
		if err := part.Drop(); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		s.t.Fatal(err)
	}
}
