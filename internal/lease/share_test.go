package lease

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func count(owners []string, name string) int {
	n := 0
	for _, o := range owners {
		if o == name {
			n++
		}
	}
	return n
}

// Whatever the order in which the names are known, everybody says the same;
// nobody has more than an even share, and all is somebody's.
func TestShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		partitions := rapid.IntRange(1, 64).Draw(t, "partitions")
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,6}`), 1, 9, rapid.ID[string]).Draw(t, "names")
		owners := Share(partitions, names)
		shuffled := append(rapid.Permutation(names).Draw(t, "shuffled"), names[0])
		if again := Share(partitions, shuffled); !slices.Equal(owners, again) {
			t.Fatalf("%v and %v share %v and %v", names, shuffled, owners, again)
		}
		most := (partitions + len(names) - 1) / len(names)
		total := 0
		for _, n := range names {
			if c := count(owners, n); c > most {
				t.Fatalf("%s has %d of %d among %d", n, c, partitions, len(names))
			} else {
				total += c
			}
		}
		if total != partitions {
			t.Fatalf("%d of %d partitions are shared", total, partitions)
		}
	})
}

// Few partitions move when one comes or goes: hardly more than what it has.
func TestShareIsSteady(t *testing.T) {
	for n := 2; n <= 6; n++ {
		moved := 0
		const fleets = 40
		for f := range fleets {
			var names []string
			for i := range n {
				names = append(names, fmt.Sprintf("host-%d-%d", f, i))
			}
			before, after := Share(16, names[1:]), Share(16, names)
			for p := range before {
				if before[p] != after[p] && after[p] != names[0] {
					moved++ // between two that stayed
				}
			}
		}
		t.Logf("%d instances: %.1f of 16 partitions move between others when one comes", n, float64(moved)/fleets)
		if moved > 3*fleets {
			t.Errorf("%d instances: %d of %d partitions move needlessly", n, moved, 16*fleets)
		}
	}
}

func TestShareOfNobody(t *testing.T) {
	if got := Share(2, nil); !slices.Equal(got, []string{"", ""}) {
		t.Errorf("nobody shares %v", got)
	}
}
