package storetest

import (
	"fmt"
	"slices"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// mutantCase is a broken store and the case that must notice it.
type mutantCase struct {
	broken, check string
	store         func() mutant
}

var mutants = []mutantCase{
	{"absent as empty", "an absent key is nil", absentAsEmpty},
	{"absent as empty", "deleting an absent key is no error", absentAsEmpty},
	{"absent as empty", "a delete has no value even where one is given", absentAsEmpty},
	{"absent as empty", "a deleted key is absent and can come back", absentAsEmpty},
	{"keys cut to three bytes", "a key that is a prefix of another is absent", cutKeys(2)},
	{"keys cut to a page", "a key of many kibibytes", cutKeys(4096)},
	{"empty as absent", "an empty value is present", func() mutant {
		return mutant{get: func(m *state.Memory, key []byte) ([]byte, error) {
			value, err := m.Get(key)
			return append([]byte(nil), value...), err
		}}
	}},
	{"absent as empty", "an empty key is absent", absentAsEmpty},
	{"empty keys taken", "an empty key is refused", commitOps(func(op state.Op) (state.Op, error) {
		op.Key = append([]byte("/"), op.Key...)
		return op, nil
	})},
	{"a hidden key of its own", "a scan of an empty store calls nothing", hiddenKey},
	{"a hidden key of its own", "an empty batch changes nothing", hiddenKey},
	{"scans from the end", "a scan is ordered bytewise", func() mutant {
		return mutant{scan: func(m *state.Memory, from, to []byte, fn func(key, value []byte) bool) error {
			return replay(m, from, to, fn, slices.Reverse[[]state.Op])
		}}
	}},
	{"an inclusive upper bound", "a scan holds from and not to", inclusive},
	{"an inclusive upper bound", "a scan without room is empty", inclusive},
	{"scans that cannot be stopped", "a scan stops where its function says so", func() mutant {
		return mutant{scan: func(m *state.Memory, from, to []byte, fn func(key, value []byte) bool) error {
			return m.Scan(from, to, func(key, value []byte) bool { fn(key, value); return true })
		}}
	}},
	{"scans of the moving store", "a scan's function may read and commit, and the scan does not see it", movingScan},
	{"the first write of a batch winning", "a later write of a batch wins", func() mutant {
		return mutant{commit: func(m *state.Memory, b *state.Batch) error {
			ops := slices.Clone(b.Ops)
			slices.Reverse(ops)
			return m.Commit(&state.Batch{Ops: ops})
		}}
	}},
	{"the first batch winning", "a later batch wins", firstBatchWins},
	{"the first batch winning", "a key overwritten a thousand times", firstBatchWins},
	{"deletes forgotten", "ten thousand keys", commitOps(func(op state.Op) (state.Op, error) {
		if op.Delete {
			op.Key = []byte("\xff forgotten")
		}
		return op, nil
	})},
	{"deletes forgotten", "a deleted key is absent and can come back", commitOps(func(op state.Op) (state.Op, error) {
		op.Delete = false
		return op, nil
	})},
	{"batches remembered", "a reset batch commits only what came after", func() mutant {
		var all []state.Op
		return mutant{commit: func(m *state.Memory, b *state.Batch) error {
			all = append(all, b.Ops...)
			return m.Commit(&state.Batch{Ops: slices.DeleteFunc(slices.Clone(all), func(op state.Op) bool { return op.Delete })})
		}}
	}},
	{"values kept by reference", "the store keeps no reference to a batch", keptReferences},
	{"one buffer for all gets", "a got value is the caller's", func() mutant {
		shared := make([]byte, 0, 64)
		return mutant{get: func(m *state.Memory, key []byte) ([]byte, error) {
			value, err := m.Get(key)
			shared = append(shared[:0], value...)
			return shared, err
		}, commit: func(m *state.Memory, b *state.Batch) error {
			scribble(shared[:cap(shared)])
			return m.Commit(b)
		}}
	}},
	{"bounds that are written to", "a scan's bounds are the caller's", func() mutant {
		return mutant{scan: func(m *state.Memory, from, to []byte, fn func(key, value []byte) bool) error {
			scribble(to)
			return m.Scan(from, to, fn)
		}}
	}},
	{"values cut to a mebibyte", "values of a mebibyte", commitOps(func(op state.Op) (state.Op, error) {
		op.Value = op.Value[:min(len(op.Value), 1<<20)]
		return op, nil
	})},
	{"half a batch to be seen", "readers beside a writer see whole batches in order", halfCommitted},
	{"a close that does nothing", "a closed store answers with errors", func() mutant {
		return mutant{close: func(*state.Memory) error { return nil }}
	}},
}

func absentAsEmpty() mutant {
	return mutant{get: func(m *state.Memory, key []byte) ([]byte, error) {
		value, err := m.Get(key)
		if value == nil {
			value = []byte{}
		}
		return value, err
	}}
}

func inclusive() mutant {
	return mutant{scan: func(m *state.Memory, from, to []byte, fn func(key, value []byte) bool) error {
		if to != nil {
			to = append(slices.Clone(to), 0)
		}
		return m.Scan(from, to, fn)
	}}
}

// commitOps passes every write through change.
func commitOps(change func(op state.Op) (state.Op, error)) func() mutant {
	return func() mutant {
		return mutant{commit: func(m *state.Memory, b *state.Batch) error {
			var out state.Batch
			for _, op := range b.Ops {
				op, err := change(op)
				if err != nil {
					return err
				}
				out.Ops = append(out.Ops, op)
			}
			return m.Commit(&out)
		}}
	}
}

// cutKeys keeps n bytes of a key, in gets as in commits.
func cutKeys(n int) func() mutant {
	cut := func(key []byte) []byte { return key[:min(len(key), n)] }
	return func() mutant {
		m := commitOps(func(op state.Op) (state.Op, error) { op.Key = cut(op.Key); return op, nil })()
		m.get = func(m *state.Memory, key []byte) ([]byte, error) { return m.Get(cut(key)) }
		return m
	}
}

func hiddenKey() mutant {
	m := mutant{Memory: state.NewMemory()}
	_ = put(m.Memory, entry{"format", "1"})
	return m
}

func firstBatchWins() mutant {
	return mutant{commit: func(m *state.Memory, b *state.Batch) error {
		var out state.Batch
		for _, op := range b.Ops {
			if old, _ := m.Get(op.Key); old == nil {
				out.Ops = append(out.Ops, op)
			}
		}
		return m.Commit(&out)
	}}
}

// movingScan asks the store for one key after another.
func movingScan() mutant {
	return mutant{scan: func(m *state.Memory, from, to []byte, fn func(key, value []byte) bool) error {
		for more := true; more; {
			var key, value []byte
			more = false
			err := m.Scan(from, to, func(k, v []byte) bool {
				key, value, more = slices.Clone(k), slices.Clone(v), true
				return false
			})
			if err != nil {
				return err
			}
			more = more && fn(key, value)
			from = append(key, 0)
		}
		return nil
	}}
}

// keptReferences answers from the caller's own slices.
func keptReferences() mutant {
	kept := map[string][]byte{}
	return mutant{
		commit: func(m *state.Memory, b *state.Batch) error {
			for _, op := range b.Ops {
				kept[string(op.Key)] = op.Value
			}
			return m.Commit(b)
		},
		get: func(_ *state.Memory, key []byte) ([]byte, error) { return kept[string(key)], nil },
	}
}

// replay collects a scan, lets change rearrange it and calls fn.
func replay(m *state.Memory, from, to []byte, fn func(key, value []byte) bool, change func([]state.Op)) error {
	var all []state.Op
	err := m.Scan(from, to, func(key, value []byte) bool {
		all = append(all, state.Op{Key: key, Value: value})
		return true
	})
	change(all)
	for _, op := range all {
		if !fn(op.Key, op.Value) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	return nil
}
