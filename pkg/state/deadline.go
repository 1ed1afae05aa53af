package state

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/RaduBerinde/btreemap"
)

// Due is a run whose deadline has come.
type Due struct {
	AtMS int64
	ID   RunID
}

// Schedule says that the run wants to be looked at when the stored time
// reaches atMS; 0 means never. The index keeps a lower bound: a later time is
// written only once the earlier one has come, so that a busy run costs nothing.
func (p *Partition) Schedule(r *Run, atMS int64) {
	if atMS == r.DueMS || (atMS > r.DueMS && r.DueMS != 0 && r.DueMS > p.Meta.ClockMS) {
		return
	}
	if _, ok := p.dirty.due[r.ID]; !ok {
		p.dirty.due[r.ID] = r.DueMS
	}
	p.due.Delete(Due{AtMS: r.DueMS, ID: r.ID})
	if r.DueMS = atMS; atMS != 0 {
		p.due.ReplaceOrInsert(Due{AtMS: atMS, ID: r.ID}, struct{}{})
	}
	p.Touch(r)
}

// DueBy returns the runs that want to be looked at by the stored time nowMS,
// earliest first. Its cost is that of the runs returned and of those changed
// since the last flush, whatever the number of runs.
func (p *Partition) DueBy(nowMS int64) ([]Due, error) {
	var out []Due
	err := p.scanDue(nowMS+1, func(d Due) bool {
		out = append(out, d)
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("find deadlines of partition %d: %w", p.Number, err)
	}
	p.due.AscendFunc(btreemap.Min[Due](), btreemap.LT(Due{AtMS: nowMS + 1}), func(d Due, _ struct{}) bool {
		out = append(out, d)
		return true
	})
	slices.SortFunc(out, compareDue)
	return out, nil
}

// NextDue returns the earliest deadline, 0 where there is none.
func (p *Partition) NextDue() (int64, error) {
	first, _, _ := p.due.Min()
	next := first.AtMS
	err := p.scanDue(-1, func(d Due) bool {
		if next == 0 || d.AtMS < next {
			next = d.AtMS
		}
		return false
	})
	if err != nil {
		return 0, fmt.Errorf("find the next deadline of partition %d: %w", p.Number, err)
	}
	return next, nil
}

// scanDue calls fn for the deadlines in the store's index that still hold, up
// to but not at the time to; -1 means all.
func (p *Partition) scanDue(to int64, fn func(Due) bool) error {
	return p.store.Scan(p.dueKey(0, RunID{}), p.dueKey(to, RunID{}), func(k, _ []byte) bool {
		d, ok := dueOf(k)
		if _, moved := p.dirty.due[d.ID]; !ok || moved {
			return true
		}
		return fn(d)
	})
}

// dueKey orders deadlines by time; -1 sorts behind all times.
func (p *Partition) dueKey(atMS int64, id RunID) []byte {
	k := p.key('D')
	k = binary.BigEndian.AppendUint64(k, uint64(atMS))
	if id == (RunID{}) {
		return k
	}
	return append(k, id.Tenant+"\x00"+id.Task+"\x00"+id.Run...)
}

func dueOf(k []byte) (Due, bool) {
	if len(k) < 11 {
		return Due{}, false
	}
	id, ok := splitRunID(k[11:])
	return Due{AtMS: int64(binary.BigEndian.Uint64(k[3:11])), ID: id}, ok
}

func runIDOf(k []byte) (RunID, bool) {
	if len(k) < 3 {
		return RunID{}, false
	}
	return splitRunID(k[3:])
}

func splitRunID(b []byte) (RunID, bool) {
	parts := bytes.SplitN(b, []byte{0}, 3)
	if len(parts) != 3 {
		return RunID{}, false
	}
	return RunID{Tenant: string(parts[0]), Task: string(parts[1]), Run: string(parts[2])}, true
}

// CompareRuns orders runs by tenant, task and run.
func CompareRuns(a, b RunID) int {
	return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Run, b.Run))
}

func compareDue(a, b Due) int {
	return cmp.Or(cmp.Compare(a.AtMS, b.AtMS), CompareRuns(a.ID, b.ID))
}
