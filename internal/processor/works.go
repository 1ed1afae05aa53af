package processor

import (
	"runtime"
	"sync"

	"github.com/loopwatch/loopwatch/internal/natsbus"
)

// works returns one work for each message, with the memory of those that are
// committed.
func (p *Processor) works(msgs []natsbus.Msg) []*work {
	for len(p.idle) < len(msgs) {
		p.idle = append(p.idle, new(work))
	}
	rest := len(p.idle) - len(msgs)
	batch := p.idle[rest:len(p.idle):len(p.idle)]
	p.idle = p.idle[:rest:rest]
	for i := range msgs {
		batch[i].owner, batch[i].msg = p.owners[msgs[i].Partition], msgs[i]
	}
	return batch
}

// release gives back the works that are committed. Nothing may hold on to their
// events.
func (p *Processor) release() {
	for o := range p.owned() {
		o.last = nil
	}
	for _, w := range p.pending {
		w.clear()
	}
	p.idle = append(p.idle, p.pending...)
	clear(p.pending)
	p.pending = p.pending[:0]
}

// clear forgets everything but memory.
func (w *work) clear() {
	clear(w.out)
	*w = work{decoder: w.decoder, out: w.out[:0]}
}

// Bounds of working side by side.
const (
	maxAtOnce = 4  // goroutines
	leastEach = 64 // works for each of them
)

// each calls fn for every work, several at a time; fn looks at nothing but its
// work and what does not change.
func (p *Processor) each(batch []*work, fn func(*work)) {
	n := max(1, min(maxAtOnce, runtime.GOMAXPROCS(0), len(batch)/leastEach))
	var side sync.WaitGroup
	part := (len(batch) + n - 1) / n
	for i := 1; i < n; i++ {
		own := batch[min(i*part, len(batch)):min((i+1)*part, len(batch))]
		side.Go(func() {
			for _, w := range own {
				fn(w)
			}
		})
	}
	for _, w := range batch[:min(part, len(batch))] {
		fn(w)
	}
	side.Wait()
}
