package state

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func openPartition(t testing.TB, s Store, n int) *Partition {
	t.Helper()
	p, err := OpenPartition(s, n)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// commit writes what changed.
func commit(t testing.TB, s Store, p *Partition) {
	t.Helper()
	var b Batch
	if err := p.Flush(&b); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(&b); err != nil {
		t.Fatal(err)
	}
	p.Committed()
}

func runID(run string) RunID { return RunID{Tenant: "default", Task: "t", Run: run} }

func TestPartitionKeepsToItself(t *testing.T) {
	s := NewMemory()
	for _, n := range []int{0, 1, 255, 256} {
		p := openPartition(t, s, n)
		r := p.Create(runID("r"), fmt.Sprint("agent-", n))
		p.Schedule(r, int64(10+n))
		p.Meta.Counts.Applied = uint64(n)
		commit(t, s, p)
	}
	if err := openPartition(t, s, 255).Drop(); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 256} {
		p := openPartition(t, s, n)
		var agents []string
		err := p.EachRun(func(r *Run) bool { agents = append(agents, r.Agent); return true })
		due, dueErr := p.DueBy(1000)
		if err != nil || dueErr != nil || !slices.Equal(agents, []string{fmt.Sprint("agent-", n)}) || dues(due) != fmt.Sprintf("%d r", 10+n) {
			t.Errorf("partition %d: agents %v, due %s, %v, %v", n, agents, dues(due), err, dueErr)
		}
		if p.Meta.Counts.Applied != uint64(n) {
			t.Errorf("partition %d applied %d", n, p.Meta.Counts.Applied)
		}
	}
	p := openPartition(t, s, 255)
	if next, err := p.NextDue(); p.Run(runID("r")) != nil || next != 0 || err != nil || p.Meta.Counts.Applied != 0 {
		t.Errorf("after Drop: run %v, next %d, %v, applied %d", p.Run(runID("r")), next, err, p.Meta.Counts.Applied)
	}
}

// What cannot be read is told at the next flush, and nothing is written over it.
func TestPartitionTellsWhatItCannotLoad(t *testing.T) {
	tests := []struct {
		name, want string
		spoil      func(p *Partition) []byte // key of the record to spoil
		load       func(p *Partition)
	}{
		{"a run", "load run r: decode run: the record is corrupt:", func(p *Partition) []byte { return p.key('R', "default", "t", "r") },
			func(p *Partition) { p.Run(runID("r")) }},
		{"a task", "load task t: decode task: the record is corrupt:", func(p *Partition) []byte { return p.key('T', "default", "t") },
			func(p *Partition) { p.Task(TaskID{"default", "t"}) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := NewMemory()
			p := openPartition(t, s, 7)
			r := p.Create(runID("r"), "agent")
			p.Task(r.ID.TaskID()).Join("r", "", "agent")
			p.TouchTask(p.Task(r.ID.TaskID()))
			commit(t, s, p)
			var b Batch
			b.Set(test.spoil(p), []byte("no record at all"))
			if err := s.Commit(&b); err != nil {
				t.Fatal(err)
			}
			p = openPartition(t, s, 7)
			if p.Err() != nil {
				t.Fatalf("before anything was loaded: %v", p.Err())
			}
			test.load(p)
			b.Reset()
			err := p.Flush(&b)
			if !errors.Is(err, ErrCorrupt) || p.Err() == nil || !strings.Contains(err.Error(), "partition 7: "+test.want) || len(b.Ops) != 0 {
				t.Errorf("flush: %v with %d writes; want %q and none", err, len(b.Ops), test.want)
			}
		})
	}
	s := NewMemory()
	var b Batch
	b.Set((&Partition{Number: 7}).key('M'), []byte("no record at all"))
	if err := s.Commit(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenPartition(s, 7); err == nil || !strings.Contains(err.Error(), "load partition 7: decode meta:") {
		t.Errorf("open: %v", err)
	}
}

// A busy run moves its deadline without a write, until the indexed one came.
func TestScheduleKeepsALowerBound(t *testing.T) {
	p := openPartition(t, NewMemory(), 0)
	r := p.Create(runID("r"), "agent")
	for _, step := range []struct{ clock, at, indexed int64 }{
		{0, 100, 100}, {10, 110, 100}, {20, 120, 100}, {30, 90, 90}, {90, 190, 190}, {91, 0, 0}, {92, 50, 50},
	} {
		p.Meta.ClockMS = step.clock
		p.Schedule(r, step.at)
		if next, err := p.NextDue(); err != nil || next != step.indexed || r.DueMS != step.indexed {
			t.Errorf("at %d, scheduled for %d: next %d, run's %d, %v; want %d", step.clock, step.at, next, r.DueMS, err, step.indexed)
		}
	}
}
