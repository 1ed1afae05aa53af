package state

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

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
