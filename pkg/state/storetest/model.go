package storetest

import (
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// step is one call of a history: a commit of ops, or one of the others.
type step struct {
	kind     stepKind
	ops      []state.Op
	key      string // get
	from, to []byte // scan
}

type stepKind int

const (
	stepCommit stepKind = iota
	stepGet
	stepScan
	stepReopen
)

// history draws a sequence of calls over few short keys, so that they meet
// each other often. Reopenings are drawn only for a store that has them.
func history(r *rapid.T, durable bool) []step {
	kinds := []stepKind{stepCommit, stepCommit, stepCommit, stepGet, stepScan}
	if durable {
		kinds = append(kinds, stepReopen)
	}
	letter := rapid.SampledFrom([]byte{0, 'a', 'b', 0xff})
	key, loose := rapid.SliceOfN(letter, 1, 3), rapid.SliceOfN(letter, 0, 3)
	op := rapid.Custom(func(r *rapid.T) state.Op {
		return state.Op{
			Key:    key.Draw(r, "key"),
			Value:  rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(r, "value"),
			Delete: rapid.IntRange(0, 3).Draw(r, "delete") == 0,
		}
	})
	bound := rapid.OneOf(rapid.Just([]byte(nil)), loose)
	return rapid.SliceOfN(rapid.Custom(func(r *rapid.T) step {
		s := step{kind: rapid.SampledFrom(kinds).Draw(r, "kind")}
		switch s.kind {
		case stepCommit:
			s.ops = rapid.SliceOfN(op, 0, 8).Draw(r, "ops")
		case stepGet:
			s.key = string(loose.Draw(r, "get"))
		case stepScan:
			s.from, s.to = bound.Draw(r, "from"), bound.Draw(r, "to")
		case stepReopen:
		}
		return s
	}), 1, 40).Draw(r, "history")
}

// runModel runs the history on s and on a map that is sorted when asked, and
// compares every answer and, at the end, everything. It closes s only to
// reopen it; with reopen it closes the last store too.
func runModel(s state.Store, reopen func() state.Store, steps []step) error {
	model := map[string]string{}
	for i, st := range steps {
		var err error
		switch st.kind {
		case stepCommit:
			err = s.Commit(&state.Batch{Ops: st.ops})
			applyModel(model, st.ops)
		case stepGet:
			if want, ok := model[st.key]; ok {
				err = expectValue(s, st.key, want)
			} else {
				err = expectAbsent(s, st.key)
			}
		case stepScan:
			err = expectScan(s, st.from, st.to, sorted(model, st.from, st.to)...)
		case stepReopen:
			if err = s.Close(); err == nil {
				s = reopen()
			}
		}
		if err != nil {
			return fmt.Errorf("step %d of %d: %w", i, len(steps), err)
		}
	}
	err := expectScan(s, nil, nil, sorted(model, nil, nil)...)
	if reopen != nil && err == nil {
		err = s.Close()
	}
	return err
}

func applyModel(model map[string]string, ops []state.Op) {
	for _, op := range ops {
		if op.Delete {
			delete(model, string(op.Key))
			continue
		}
		model[string(op.Key)] = string(op.Value)
	}
}

// sorted lists the entries of [from, to) in key order.
func sorted(model map[string]string, from, to []byte) []entry {
	var out []entry
	for _, key := range slices.Sorted(maps.Keys(model)) {
		if key >= string(from) && (to == nil || key < string(to)) {
			out = append(out, entry{key, model[key]})
		}
	}
	return out
}
