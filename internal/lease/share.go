package lease

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
)

// Share says which instance should own each partition: every instance that
// knows the same names says the same. Nobody gets more than its even share,
// rounded up; within that the highest of the scores of partition and instance
// decides, so that few partitions move when an instance comes or goes. Names
// that stand twice count once; without any all partitions are nobody's, "".
func Share(partitions int, instances []string) []string {
	names := slices.Clone(instances)
	slices.Sort(names)
	names = slices.Compact(names)
	owners := make([]string, partitions)
	if len(names) == 0 {
		return owners
	}
	type pair struct {
		score     uint64
		partition int
		instance  string
	}
	pairs := make([]pair, 0, partitions*len(names))
	for p := range partitions {
		for _, n := range names {
			pairs = append(pairs, pair{score(p, n), p, n})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.partition, b.partition), cmp.Compare(a.instance, b.instance))
	})
	most := (partitions + len(names) - 1) / len(names)
	load := map[string]int{}
	for _, c := range pairs {
		if owners[c.partition] == "" && load[c.instance] < most {
			owners[c.partition] = c.instance
			load[c.instance]++
		}
	}
	return owners
}

// score is what a partition and an instance are worth to each other.
func score(partition int, instance string) uint64 {
	sum := sha256.Sum256([]byte(strconv.Itoa(partition) + " " + instance))
	return binary.BigEndian.Uint64(sum[:])
}
