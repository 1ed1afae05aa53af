package state

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/loopwatch/loopwatch/internal/features"
)

// family is a task whose runs were joined in that order, as "run<parent".
func family(pairs ...[2]string) *Task {
	t := &Task{ID: TaskID{"default", "t"}}
	for _, p := range pairs {
		t.Join(p[0], p[1], "agent")
	}
	return t
}

func TestDescendants(t *testing.T) {
	tests := []struct {
		name string
		runs [][2]string // run, parent
		over []string
		of   string
		want []string
	}{
		{"none", [][2]string{{"root", ""}}, nil, "root", nil},
		{"an unknown run has none", [][2]string{{"root", ""}}, nil, "other", nil},
		{"children, not siblings", [][2]string{{"root", ""}, {"a", "root"}, {"b", "root"}, {"c", "a"}}, nil, "a", []string{"c"}},
		{"nearest first, whoever joined first", [][2]string{{"root", ""}, {"a", "root"}, {"c", "a"}, {"b", "root"}}, nil, "root", []string{"a", "b", "c"}},
		{"a child that joined before its parent", [][2]string{{"c", "a"}, {"a", "root"}, {"root", ""}}, nil, "root", []string{"a", "c"}},
		{"those that are over are passed over, not their children", [][2]string{{"root", ""}, {"a", "root"}, {"c", "a"}}, []string{"a"}, "root", []string{"c"}},
		{"another root is no descendant", [][2]string{{"root", ""}, {"retry", ""}}, nil, "root", nil},
		{"a run that names itself as its parent", [][2]string{{"a", "a"}, {"b", "a"}}, nil, "a", []string{"b"}},
		{"runs that name each other", [][2]string{{"a", "b"}, {"b", "a"}}, nil, "a", []string{"b"}},
		{"runs that name each other in a ring", [][2]string{{"a", "c"}, {"b", "a"}, {"c", "b"}, {"d", "c"}}, nil, "a", []string{"b", "c", "d"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			task := family(test.runs...)
			for _, run := range test.over {
				task.Member(run).Over = true
			}
			var got []string
			for _, m := range task.Descendants(test.of) {
				got = append(got, m.Run)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("descendants of %s: %v, want %v", test.of, got, test.want)
			}
		})
	}
}

func TestJoinFindsTheRunAgain(t *testing.T) {
	task := family([2]string{"root", ""})
	task.Join("a", "root", "coder").Over = true
	m := task.Join("a", "other", "support")
	if len(task.Runs) != 2 || m.Parent != "root" || m.Agent != "coder" || !m.Over {
		t.Errorf("joining again gives %+v among %d", *m, len(task.Runs))
	}
	if task.Member("b") != nil {
		t.Error("a run is named that never joined")
	}
}

func TestJoinForgetsWhatIsOverFirst(t *testing.T) {
	task := family()
	for i := range MaxMembers {
		task.Join(fmt.Sprint("run-", i), "", "agent")
	}
	task.Member("run-7").Over = true
	task.Member("run-9").Over = true
	for i, gone := range []string{"run-7", "run-9", "run-0", "run-1"} {
		task.Join(fmt.Sprint("late-", i), "", "agent")
		if task.Member(gone) != nil || task.Dropped != i+1 || len(task.Runs) != MaxMembers {
			t.Errorf("after %d more: %s is named: %v, dropped %d of %d", i+1, gone, task.Member(gone) != nil, task.Dropped, len(task.Runs))
		}
	}
	if task.Member("run-2") == nil || task.Member("late-3") == nil {
		t.Error("more was forgotten than had to be")
	}
}

func TestAncestors(t *testing.T) {
	task := &Task{}
	task.Join("a", "", "x")
	task.Join("b", "a", "x")
	task.Join("c", "b", "x")
	task.Join("d", "gone", "x")
	for run, want := range map[string]string{"a": "[]", "b": "[a]", "c": "[b a]", "d": "[gone]", "nobody": "[]"} {
		if got := fmt.Sprint(task.Ancestors(run)); got != want {
			t.Errorf("above %s there are %s, want %s", run, got, want)
		}
	}
	task.Join("x", "y", "x")
	task.Join("y", "x", "x")
	if got := task.Ancestors("x"); len(got) != 1 {
		t.Errorf("a ring has the ancestors %v, want the one besides", got)
	}
}

func TestLeave(t *testing.T) {
	task := family([2]string{"root", ""}, [2]string{"a", "root"}, [2]string{"b", "root"})
	task.Leave("a")
	task.Leave("nobody")
	if len(task.Runs) != 2 || task.Member("a") != nil || task.Member("b") == nil || task.Dropped != 0 {
		t.Errorf("left are %v, %d dropped", task.Runs, task.Dropped)
	}
}

func TestHaltIsActiveByItsControl(t *testing.T) {
	if (Halt{Reason: "words alone"}).Active() || !(Halt{Control: "ctl_1"}).Active() {
		t.Error("a halt is active where it has a control, and only there")
	}
}

// What is not counted leaves no trace, as nobody is told to store it.
func TestAFailureTheSameRunHadIsNotTouched(t *testing.T) {
	task := &Task{}
	run := NewRun(RunID{Run: "r1"}, "agent", 0)
	fail := func(key features.Hash) bool {
		run.Cur.Step = Step{Key: key, Error: true, Call: Ref{Seq: uint64(key)}}
		return task.Fail(run)
	}
	if !fail(1) || !fail(2) {
		t.Fatal("a first failure counts")
	}
	before := AppendTask(nil, task)
	if fail(1) {
		t.Error("the same run fails the same way, and it counts")
	}
	if !bytes.Equal(before, AppendTask(nil, task)) {
		t.Error("the task changed, and said that it did not")
	}
}
