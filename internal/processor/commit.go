package processor

import (
	"fmt"
	"slices"
	"time"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// A commit is put off while there is more to apply: a run that has several
// events in the meantime is written once. What a crash loses by it is applied
// again from the stream.
const (
	commitAfter = 8           // batches
	commitEvery = time.Second // at the latest, where events keep coming
)

// settle takes in a batch that was answered, and commits when it is time.
func (p *Processor) settle(batch []*work) error {
	p.pending = append(p.pending, batch...)
	if len(p.pending) < commitAfter*p.cfg.Batch && time.Since(p.committed) < commitEvery {
		return nil
	}
	return p.commit()
}

// commit puts the states and the position they stand at into the store, whole.
func (p *Processor) commit() error {
	if len(p.pending) == 0 {
		return nil
	}
	batch := slices.DeleteFunc(slices.Clone(p.pending), func(w *work) bool {
		return w.owner.fenced != nil || p.owners[w.owner.number] != w.owner // it went with its state
	})
	touched := map[*owner]bool{}
	for _, w := range batch {
		touched[w.owner] = true
	}
	p.batch.Reset()
	for o := range touched {
		o.part.Meta.Checkpoint = state.Checkpoint{
			Seq: o.last.msg.Seq, CreatedNS: o.stream.Created.UnixNano(), Digest: natsbus.Digest(&o.last.msg),
		}
		if err := o.part.Flush(&p.batch); err != nil {
			return fmt.Errorf("flush partition %d: %w", o.number, err)
		}
	}
	p.writes.Lock()
	err := p.cfg.Store.Commit(&p.batch)
	p.writes.Unlock()
	if err != nil {
		return fmt.Errorf("commit %d events: %w", len(batch), err)
	}
	for o := range touched {
		o.part.Committed()
		if err := o.nextDue(); err != nil {
			return err
		}
	}
	p.committed = time.Now()
	p.done("commit")
	p.cfg.Metrics.observe(batch)
	p.noteLate(batch)
	p.publishStatus()
	p.release()
	return nil
}
