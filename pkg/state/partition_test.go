package state

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
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

// dues says deadlines in short: "5 a, 7 b".
func dues(list []Due) string {
	var out []string
	for _, d := range list {
		out = append(out, fmt.Sprintf("%d %s", d.AtMS, d.ID.Run))
	}
	return strings.Join(out, ", ")
}

// partitionModel holds a partition against plain maps, whatever is flushed,
// evicted or opened anew in between.
type partitionModel struct {
	store *Memory
	*Partition
	phase map[string]Phase // of every run there is
	due   map[string]int64 // indexed deadline of those that have one
	tries int              // runs of the task since it was last without any
}

func (m *partitionModel) run(t *rapid.T) (string, *Run) {
	name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "run")
	r := m.Run(runID(name))
	if _, known := m.phase[name]; known != (r != nil) {
		t.Fatalf("run %s is known: %v, want %v", name, r != nil, known)
	}
	return name, r
}

func (m *partitionModel) actions(tb testing.TB) map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"change": func(t *rapid.T) {
			name, r := m.run(t)
			if r == nil {
				r = m.Create(runID(name), "agent")
				task := m.Task(r.ID.TaskID())
				task.Join(name, "", "agent")
				task.Attempts++
				m.tries++
				m.TouchTask(task)
			}
			r.Phase = rapid.SampledFrom([]Phase{Live, Ended, Lost}).Draw(t, "phase")
			m.phase[name] = r.Phase
			m.Touch(r)
		},
		"schedule": func(t *rapid.T) {
			name, r := m.run(t)
			if r == nil {
				return
			}
			at := rapid.Int64Range(0, 40).Draw(t, "at")
			if was, ok := m.due[name]; at == 0 || !ok || at < was || was <= m.Meta.ClockMS {
				m.due[name] = at
			}
			if m.due[name] == 0 {
				delete(m.due, name)
			}
			m.Schedule(r, at)
		},
		"forget": func(t *rapid.T) {
			if name, r := m.run(t); r != nil {
				m.Forget(r)
				delete(m.phase, name)
				delete(m.due, name)
			}
			if len(m.phase) == 0 {
				m.tries = 0
			}
		},
		"time passes": func(t *rapid.T) { m.Meta.ClockMS += rapid.Int64Range(0, 5).Draw(t, "by") },
		"commit":      func(t *rapid.T) { commit(tb, m.store, m.Partition) },
		"flush, and commit only what is flushed next": func(t *rapid.T) {
			if err := m.Flush(new(Batch)); err != nil {
				t.Fatal(err)
			}
		},
		"evict": func(t *rapid.T) { m.Evict() },
		"open anew": func(t *rapid.T) {
			commit(tb, m.store, m.Partition)
			m.Partition = openPartition(tb, m.store, m.Number)
		},
		"": m.check,
	}
}

func (m *partitionModel) check(t *rapid.T) {
	var due []Due
	for name, at := range m.due {
		due = append(due, Due{AtMS: at, ID: runID(name)})
	}
	slices.SortFunc(due, compareDue)
	now := rapid.Int64Range(0, 45).Draw(t, "now")
	passed := slices.DeleteFunc(slices.Clone(due), func(d Due) bool { return d.AtMS > now })
	if got, err := m.DueBy(now); err != nil || dues(got) != dues(passed) {
		t.Fatalf("due by %d: %s, %v; want %s", now, dues(got), err, dues(passed))
	}
	next := int64(0)
	if len(due) > 0 {
		next = due[0].AtMS
	}
	if got, err := m.NextDue(); err != nil || got != next {
		t.Fatalf("next due: %d, %v; want %d", got, err, next)
	}
	seen := map[string]Phase{}
	if err := m.EachRun(func(r *Run) bool { seen[r.ID.Run] = r.Phase; return true }); err != nil || !maps.Equal(seen, m.phase) {
		t.Fatalf("runs %v, %v; want %v", seen, err, m.phase)
	}
	if task := m.Task(TaskID{"default", "t"}); len(task.Runs) != len(m.phase) || task.Attempts != m.tries {
		t.Fatalf("the task names %d runs after %d, want %d after %d", len(task.Runs), task.Attempts, len(m.phase), m.tries)
	}
}

func TestPartitionAgainstMaps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := NewMemory()
		m := &partitionModel{store: s, Partition: openPartition(t, s, 3), phase: map[string]Phase{}, due: map[string]int64{}}
		rt.Repeat(m.actions(t))
	})
}

func BenchmarkNextDueUnflushed(b *testing.B) {
	p := openPartition(b, NewMemory(), 0)
	for i := range 10_000 {
		p.Schedule(p.Create(runID(fmt.Sprint("run-", i)), "agent"), int64(1000+i))
	}
	for b.Loop() {
		if _, err := p.NextDue(); err != nil {
			b.Fatal(err)
		}
	}
}

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
		{"a run", "load run r: decode run:", func(p *Partition) []byte { return p.key('R', "default", "t", "r") },
			func(p *Partition) { p.Run(runID("r")) }},
		{"a task", "load task t: decode task:", func(p *Partition) []byte { return p.key('T', "default", "t") },
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
			if err == nil || p.Err() == nil || !strings.Contains(err.Error(), "partition 7: "+test.want) || len(b.Ops) != 0 {
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
