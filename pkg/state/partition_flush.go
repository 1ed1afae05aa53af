package state

import (
	"encoding/binary"
	"slices"

	"github.com/RaduBerinde/btreemap"
)

// Touch marks a run as changed, to be written by the next Flush.
func (p *Partition) Touch(r *Run) {
	if !r.touched {
		r.touched = true
		p.dirty.runs = append(p.dirty.runs, r)
	}
}

// TouchTask marks a task as changed, to be written by the next Flush.
func (p *Partition) TouchTask(t *Task) {
	if !t.touched {
		t.touched = true
		p.dirty.tasks = append(p.dirty.tasks, t)
	}
}

// Flush adds everything changed since the last flush to the batch, the
// partition's own record included. After the batch is committed the caller
// calls Committed.
func (p *Partition) Flush(b *Batch) error {
	if p.err != nil {
		return p.err
	}
	p.recount()
	for _, r := range p.dirty.runs {
		key := b.key(p, 'R', r.ID.Tenant, r.ID.Task, r.ID.Run)
		from := len(b.buf)
		b.buf = AppendRun(b.buf, r)
		b.Set(key, b.since(from))
	}
	for id := range p.dirty.gone {
		b.Delete(b.key(p, 'R', id.Tenant, id.Task, id.Run))
	}
	for _, t := range p.dirty.tasks {
		key := b.key(p, 'T', t.ID.Tenant, t.ID.Task)
		if len(t.Runs) == 0 {
			b.Delete(key)
			continue
		}
		from := len(b.buf)
		b.buf = AppendTask(b.buf, t)
		b.Set(key, b.since(from))
	}
	for id, at := range p.dirty.due {
		if at != 0 {
			b.Delete(p.dueKey(at, id))
		}
	}
	p.due.AscendFunc(btreemap.Min[Due](), btreemap.Max[Due](), func(d Due, _ struct{}) bool {
		b.Set(p.dueKey(d.AtMS, d.ID), nil)
		return true
	})
	key := b.key(p, 'M', "")
	from := len(b.buf)
	b.buf = AppendMeta(b.buf, &p.Meta)
	b.Set(key, b.since(from))
	return nil
}

// Committed says that the flushed batch is in the store.
func (p *Partition) Committed() {
	p.clean()
	if len(p.runs) > p.limit {
		p.Evict()
	}
}

// Evict forgets decoded records that are not waiting to be written.
func (p *Partition) Evict() {
	p.run, p.task = nil, nil
	for id, r := range p.runs {
		if !r.touched {
			delete(p.runs, id)
		}
	}
	for id, t := range p.tasks {
		if !t.touched {
			delete(p.tasks, id)
		}
	}
}

func (p *Partition) clean() {
	for _, r := range p.dirty.runs {
		r.touched = false
	}
	for _, t := range p.dirty.tasks {
		t.touched = false
	}
	clear(p.dirty.runs)
	clear(p.dirty.tasks)
	p.dirty.runs, p.dirty.tasks = p.dirty.runs[:0], p.dirty.tasks[:0]
	clear(p.dirty.gone)
	clear(p.dirty.due)
	p.due.Clear(true)
}

// key is the partition's number, the kind of record, and names that cannot
// contain the separator.
func (p *Partition) key(kind byte, names ...string) []byte { return p.appendKey(nil, kind, names...) }

func (p *Partition) appendKey(k []byte, kind byte, names ...string) []byte {
	k = binary.BigEndian.AppendUint16(k, uint16(p.Number))
	k = append(k, kind)
	for i, n := range names {
		if i > 0 {
			k = append(k, 0)
		}
		k = append(k, n...)
	}
	return k
}

// after returns the first key behind all keys with that prefix.
func after(prefix []byte) []byte {
	k := slices.Clone(prefix)
	for i := len(k) - 1; i >= 0; i-- {
		if k[i]++; k[i] != 0 {
			return k[:i+1]
		}
	}
	return nil
}
