package state

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
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
	p.dirty.index = append(p.dirty.index, indexed{id: r.ID, old: r.DueMS, new: atMS})
	r.DueMS = atMS
	p.Touch(r)
}

// DueBy returns the runs that want to be looked at by the stored time nowMS,
// earliest first. Its cost is that of the runs returned, whatever the number
// of runs.
func (p *Partition) DueBy(nowMS int64) ([]Due, error) {
	var out []Due
	err := p.store.Scan(p.dueKey(0, RunID{}), p.dueKey(nowMS+1, RunID{}), func(k, _ []byte) bool {
		if d, ok := dueOf(k); ok {
			if r, held := p.runs[d.ID]; !held || r.DueMS == d.AtMS {
				out = append(out, d)
			}
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("find deadlines of partition %d: %w", p.Number, err)
	}
	for _, x := range p.dirty.index {
		if r := p.runs[x.id]; r != nil && r.DueMS == x.new && x.new != 0 && x.new <= nowMS {
			out = append(out, Due{AtMS: x.new, ID: x.id})
		}
	}
	slices.SortFunc(out, func(a, b Due) int {
		return cmp.Or(cmp.Compare(a.AtMS, b.AtMS), CompareRuns(a.ID, b.ID))
	})
	return slices.Compact(out), nil
}

// NextDue returns the earliest deadline, 0 where there is none.
func (p *Partition) NextDue() (int64, error) {
	var next int64
	err := p.store.Scan(p.dueKey(0, RunID{}), p.dueKey(-1, RunID{}), func(k, _ []byte) bool {
		d, ok := dueOf(k)
		if r, held := p.runs[d.ID]; ok && (!held || r.DueMS == d.AtMS) {
			next = d.AtMS
			return false
		}
		return true
	})
	if err != nil {
		return 0, fmt.Errorf("find the next deadline of partition %d: %w", p.Number, err)
	}
	for _, x := range p.dirty.index {
		if r := p.runs[x.id]; r != nil && r.DueMS != 0 && (next == 0 || r.DueMS < next) {
			next = r.DueMS
		}
	}
	return next, nil
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
