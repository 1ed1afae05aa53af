package processor

import (
	"sync"
	"testing"

	"github.com/loopwatch/loopwatch/internal/lease"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// counted counts the boundaries passed.
type counted struct {
	sync.Mutex
	n map[string]int
}

func (c *counted) boundary(effect string) {
	c.Lock()
	defer c.Unlock()
	c.n[effect]++
}

func (c *counted) of(effect string) int {
	c.Lock()
	defer c.Unlock()
	return c.n[effect]
}

// While more is waiting, a commit takes in several batches; what is waiting no
// more is committed at once, and nothing is left over.
func TestACommitTakesInSeveralBatches(t *testing.T) {
	s := newSite(t)
	const calls = 40
	last := uint64(0)
	for n := range calls {
		last = s.call(n+1, "")
	}
	cfg := s.config("batches", lease.NewAlways(2))
	seen := &counted{n: map[string]int{}}
	cfg.Batch, cfg.Boundary = 1, seen.boundary
	it, stop := s.run(cfg)
	s.until("all is committed", func() bool { return applied(it) == last })
	turns, commits := seen.of("answer"), seen.of("commit")
	if turns < calls || commits >= turns/2 {
		t.Errorf("%d commits of %d batches, want far fewer", commits, turns)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	part, err := state.OpenPartition(cfg.Store, 0)
	if err != nil {
		t.Fatal(err)
	}
	if at := part.Meta.Checkpoint; at.Seq != last || at.Digest == (state.Digest{}) {
		t.Errorf("the store stands at %+v, want %d with its digest", at, last)
	}
}

// What was applied when the processor is stopped is committed, however young
// the last commit.
func TestWhatIsAppliedIsCommittedAtTheEnd(t *testing.T) {
	s := newSite(t)
	cfg := s.config("stopped", lease.NewAlways(2))
	seen := &counted{n: map[string]int{}}
	stepped := make(chan struct{}, 100)
	cfg.Batch = 1
	cfg.Boundary = func(effect string) {
		if seen.boundary(effect); effect == "answer" {
			stepped <- struct{}{}
		}
	}
	it, stop := s.run(cfg)
	<-it.Ready()
	first := s.call(1, "")
	<-stepped
	s.until("the first is committed", func() bool { return applied(it) == first })
	second := s.call(2, "")
	<-stepped // so young is the last commit that this one waits
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	part, err := state.OpenPartition(cfg.Store, 0)
	if err != nil {
		t.Fatal(err)
	}
	if part.Meta.Checkpoint.Seq != second {
		t.Errorf("the store stands at %d, want %d", part.Meta.Checkpoint.Seq, second)
	}
}

// Works are used again and hold nothing of before.
func TestWorksAreUsedAgain(t *testing.T) {
	p := &Processor{owners: []*owner{{}}}
	batch := p.works(make([]natsbus.Msg, 3))
	batch[1].out = append(batch[1].out, outgoing{old: true})
	batch[1].event.ID = "e"
	p.pending = append(p.pending, batch...)
	p.release()
	again := p.works(make([]natsbus.Msg, 2))
	if len(p.idle) != 1 || len(p.pending) != 0 {
		t.Fatalf("%d works are idle and %d pending, want 1 and none", len(p.idle), len(p.pending))
	}
	for _, w := range again {
		if w.event.ID != "" || len(w.out) != 0 || w.owner != p.owners[0] {
			t.Errorf("a work begins as %+v", w)
		}
	}
	if again[0] != batch[1] {
		t.Error("works are made anew")
	}
	sum := 0
	p.each(again, func(*work) { sum++ })
	if sum != len(again) {
		t.Errorf("%d of %d works were done", sum, len(again))
	}
}

// Many works are shared out, each done once.
func TestEachDoesEveryWorkOnce(t *testing.T) {
	p := &Processor{owners: []*owner{{}}}
	for _, n := range []int{0, 1, leastEach, 2*leastEach + 1, 1000} {
		batch := p.works(make([]natsbus.Msg, n))
		p.each(batch, func(w *work) { w.msg.Seq++ })
		for i, w := range batch {
			if w.msg.Seq != 1 {
				t.Fatalf("work %d of %d was done %d times", i, n, w.msg.Seq)
			}
		}
	}
}
