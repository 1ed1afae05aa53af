package state

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/RaduBerinde/btreemap"
)

// Partition is the working set of one partition: its runs and tasks as last
// applied, loaded from the store when first needed and written back by Flush.
// It is not safe for concurrent use.
//
// A failed load is kept and returned by Err and by Flush; until then the
// partition answers as if the record were absent, so the caller must check Err
// before it acts on anything.
type Partition struct {
	Number int
	Meta   Meta

	store  Store
	memory int // distinct calls a new run remembers
	limit  int // runs kept decoded between flushes

	runs  map[RunID]*Run
	tasks map[TaskID]*Task
	run   *Run  // found last
	task  *Task // found last
	dirty struct {
		runs  []*Run // those that are touched
		tasks []*Task
		gone  map[RunID]struct{}
		due   map[RunID]int64 // deadline in the store's index, of runs that have another now
	}
	due *btreemap.BTreeMap[Due, struct{}] // deadlines the store's index does not have yet
	err error
}

// OpenPartition loads what the store holds of partition n. New runs remember
// DefaultMemory distinct calls until SetMemory.
func OpenPartition(store Store, n int) (*Partition, error) {
	p := &Partition{
		Number: n, store: store, memory: DefaultMemory, limit: 20_000,
		runs: map[RunID]*Run{}, tasks: map[TaskID]*Task{},
		due: btreemap.New[Due, struct{}](memoryDegree, compareDue),
	}
	p.dirty.gone, p.dirty.due = map[RunID]struct{}{}, map[RunID]int64{}
	b, err := store.Get(p.key('M', ""))
	if err != nil {
		return nil, fmt.Errorf("load partition %d: %w", n, err)
	}
	if b != nil {
		if p.Meta, err = DecodeMeta(b); err != nil {
			return nil, fmt.Errorf("load partition %d: %w", n, err)
		}
	}
	if !p.Meta.Census.Counted {
		return p, p.census()
	}
	return p, nil
}

// SetMemory sets how many distinct calls new and resumed runs remember.
func (p *Partition) SetMemory(n int) { p.memory = n }

// Memory returns it.
func (p *Partition) Memory() int { return p.memory }

// Err returns the first load that failed, nil if none did.
func (p *Partition) Err() error { return p.err }

// Run returns the run of that id, nil where it is not known.
func (p *Partition) Run(id RunID) *Run {
	if p.run != nil && p.run.ID == id {
		return p.run
	}
	if r, ok := p.runs[id]; ok {
		p.run = r
		return r
	}
	if _, gone := p.dirty.gone[id]; gone {
		return nil
	}
	b, err := p.store.Get(p.key('R', id.Tenant, id.Task, id.Run))
	if b == nil || err != nil {
		p.Fail(err)
		return nil
	}
	r, err := DecodeRun(b)
	if err != nil {
		p.Fail(fmt.Errorf("load run %s: %w", id.Run, err))
		return nil
	}
	p.runs[r.ID], p.run = r, r
	r.counted = placeOf(r)
	return r
}

// Create adds a run that is not known yet. Its names are copied: an event's
// strings may not outlive it.
func (p *Partition) Create(id RunID, agent string) *Run {
	id = RunID{Tenant: strings.Clone(id.Tenant), Task: strings.Clone(id.Task), Run: strings.Clone(id.Run)}
	r := NewRun(id, strings.Clone(agent), p.memory)
	p.runs[id], p.run = r, r
	delete(p.dirty.gone, id)
	p.Touch(r)
	return r
}

// Task returns the task of that id, made empty where it is not known.
func (p *Partition) Task(id TaskID) *Task {
	if p.task != nil && p.task.ID == id {
		return p.task
	}
	if t, ok := p.tasks[id]; ok {
		p.task = t
		return t
	}
	id = TaskID{Tenant: strings.Clone(id.Tenant), Task: strings.Clone(id.Task)}
	b, err := p.store.Get(p.key('T', id.Tenant, id.Task))
	p.Fail(err)
	t := &Task{ID: id}
	if b != nil {
		if t, err = DecodeTask(b); err != nil {
			p.Fail(fmt.Errorf("load task %s: %w", id.Task, err))
			t = &Task{ID: id}
		}
	}
	p.tasks[id], p.task = t, t
	return t
}

// Forget drops a run for good, and its task with the last run of it.
func (p *Partition) Forget(r *Run) {
	p.Schedule(r, 0)
	delete(p.runs, r.ID)
	p.run = nil
	p.dirty.runs = slices.DeleteFunc(p.dirty.runs, func(o *Run) bool { return o == r })
	p.Meta.Census.move(r.counted, place{})
	p.dirty.gone[r.ID] = struct{}{}
	t := p.Task(r.ID.TaskID())
	if t.Leave(r.ID.Run); len(t.Runs) == 0 {
		*t = Task{ID: t.ID, touched: t.touched}
	}
	p.TouchTask(t)
}

// Drop removes everything the store holds of the partition; afterwards it must
// be opened anew.
func (p *Partition) Drop() error { return DropPartition(p.store, p.Number) }

// DropPartition removes everything the store holds of partition n, whether it
// can be read or not.
func DropPartition(store Store, n int) error {
	var b Batch
	from := binary.BigEndian.AppendUint16(nil, uint16(n))
	err := store.Scan(from, after(from), func(k, _ []byte) bool {
		b.Delete(slices.Clone(k))
		return true
	})
	if err == nil {
		err = store.Commit(&b)
	}
	if err != nil {
		return fmt.Errorf("drop partition %d: %w", n, err)
	}
	return nil
}

// EachRun calls fn for every run of the partition in the order of their ids
// until it returns false. Runs that were changed since the last flush are seen
// as they are now.
func (p *Partition) EachRun(fn func(*Run) bool) error {
	var ids []RunID
	from := p.key('R', "")
	err := p.store.Scan(from, after(from[:3]), func(k, _ []byte) bool {
		if id, ok := runIDOf(k); ok {
			ids = append(ids, id)
		}
		return true
	})
	if err != nil {
		return fmt.Errorf("list runs of partition %d: %w", p.Number, err)
	}
	for _, r := range p.dirty.runs {
		ids = append(ids, r.ID)
	}
	slices.SortFunc(ids, CompareRuns)
	for _, id := range slices.Compact(ids) {
		_, held := p.runs[id]
		r := p.Run(id)
		if r != nil && !fn(r) {
			break
		}
		if !held && len(p.runs) > p.limit {
			p.Evict()
		}
	}
	return p.err
}

// Fail keeps the first error that makes the partition unusable; nil is ignored.
func (p *Partition) Fail(err error) {
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("partition %d: %w", p.Number, err)
	}
}
