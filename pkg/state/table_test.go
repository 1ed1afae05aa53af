package state

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/internal/features"
)

// naiveTable is a table as a slice, oldest first.
type naiveTable struct {
	limit   int
	evicted uint32
	entries []naiveEntry
}

type naiveEntry struct {
	hash  features.Hash
	value int
}

func (n *naiveTable) find(h features.Hash) int {
	return slices.IndexFunc(n.entries, func(e naiveEntry) bool { return e.hash == h })
}

func (n *naiveTable) put(h features.Hash, v int) (was int) {
	if i := n.find(h); i >= 0 {
		was = n.entries[i].value
		n.entries = slices.Delete(n.entries, i, i+1)
	} else if len(n.entries) == n.limit {
		n.entries = n.entries[1:]
		n.evicted++
	}
	n.entries = append(n.entries, naiveEntry{h, v})
	return was
}

func (n *naiveTable) delete(h features.Hash) {
	if i := n.find(h); i >= 0 {
		n.entries = slices.Delete(n.entries, i, i+1)
	}
}

func TestTableAgainstASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 8).Draw(t, "limit")
		table, naive := Table[int]{Limit: limit}, naiveTable{limit: limit}
		hash := rapid.Custom(func(t *rapid.T) features.Hash { return features.Hash(rapid.IntRange(1, 12).Draw(t, "hash")) })
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				h, v := hash.Draw(t, "h"), rapid.IntRange(1, 99).Draw(t, "v")
				p := table.Put(h)
				if was := naive.put(h, v); *p != was {
					t.Fatalf("put %d found %d, want %d", h, *p, was)
				}
				*p = v
			},
			"get": func(t *rapid.T) {
				h := hash.Draw(t, "h")
				got, i := table.Get(h), naive.find(h)
				if (got != nil) != (i >= 0) || got != nil && *got != naive.entries[i].value {
					t.Fatalf("get %d: %v, want entry %d of %v", h, got, i, naive.entries)
				}
			},
			"delete": func(t *rapid.T) {
				h := hash.Draw(t, "h")
				table.Delete(h)
				naive.delete(h)
			},
			"clear": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "rarely") == 0 {
					table.Clear()
					naive.entries = nil
				}
			},
			"": func(t *rapid.T) {
				if got := entriesOf(&table); !slices.Equal(got, naive.entries) || table.Evicted != naive.evicted || table.Len() != len(got) {
					t.Fatalf("holds %v, %d evicted, Len %d; want %v, %d evicted", got, table.Evicted, table.Len(), naive.entries, naive.evicted)
				}
			},
		})
	})
}

func entriesOf(table *Table[int]) []naiveEntry {
	var out []naiveEntry
	table.Each(func(h features.Hash, v *int) bool {
		out = append(out, naiveEntry{h, *v})
		return true
	})
	return out
}

func TestTableEachStops(t *testing.T) {
	table := Table[int]{Limit: 4}
	for h := range features.Hash(4) {
		*table.Put(h + 1) = int(h)
	}
	var seen []features.Hash
	table.Each(func(h features.Hash, _ *int) bool {
		seen = append(seen, h)
		return len(seen) < 2
	})
	if want := []features.Hash{1, 2}; !slices.Equal(seen, want) {
		t.Errorf("saw %v, want %v", seen, want)
	}
}

func TestZeroTableHoldsOneEntry(t *testing.T) {
	var table Table[int]
	if table.Get(1) != nil || table.Len() != 0 {
		t.Error("a zero table holds something")
	}
	table.Delete(1)
	table.Each(func(features.Hash, *int) bool { t.Error("a zero table has an entry"); return false })
	*table.Put(1) = 5
	*table.Put(2) = 6
	if got := entriesOf(&table); !slices.Equal(got, []naiveEntry{{2, 6}}) || table.Evicted != 1 {
		t.Errorf("a table without a limit holds %v, %d evicted", got, table.Evicted)
	}
}
