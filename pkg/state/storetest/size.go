package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/loopwatch/loopwatch/pkg/state"
)

var sizeChecks = []check{
	{"values of a mebibyte", func(s state.Store) error {
		// Random bytes: a store must not live from compressing them.
		r := rand.New(rand.NewChaCha8([32]byte{}))
		var want []entry
		for i := range 5 {
			b := make([]byte, 1<<20+i)
			for j := range b {
				b[j] = byte(r.Uint32())
			}
			want = append(want, entry{fmt.Sprintf("big-%d", i), string(b)})
		}
		return errors.Join(
			put(s, want[0]), put(s, want[1:]...),
			expectValue(s, "big-0", want[0].value), expectScan(s, nil, nil, want...))
	}},
	{"a key of many kibibytes", func(s state.Store) error {
		key := strings.Repeat("k", 60<<10)
		return errors.Join(put(s, entry{key, "1"}, entry{key + "k", "2"}),
			expectValue(s, key, "1"), expectScan(s, []byte(key+"\x00"), nil, entry{key + "k", "2"}))
	}},
	{"ten thousand keys", tenThousandKeys},
	{"a key overwritten a thousand times", func(s state.Store) error {
		var err error
		for i := 0; i < 1000 && err == nil; i++ {
			err = put(s, entry{"counter", fmt.Sprint(i)})
		}
		return errors.Join(err, expectScan(s, nil, nil, entry{"counter", "999"}))
	}},
}

// tenThousandKeys writes in random order, deletes every third key and reads
// all of it back by key, whole and by a range.
func tenThousandKeys(s state.Store) error {
	const n = 10_000
	key := func(i int) string { return fmt.Sprintf("key-%05d", i) }
	value := func(i int) string { return fmt.Sprintf("value-%d", i*i) }
	var b state.Batch
	for at, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		b.Set([]byte(key(i)), []byte(value(i)))
		if at%100 == 99 {
			if err := commit(s, &b); err != nil {
				return err
			}
			b.Reset()
		}
	}
	for i := 0; i < n; i += 3 {
		b.Delete([]byte(key(i)))
	}
	if err := commit(s, &b); err != nil {
		return err
	}
	var want []entry
	for i := range n {
		if i%3 == 0 {
			if err := expectAbsent(s, key(i)); err != nil {
				return err
			}
			continue
		}
		want = append(want, entry{key(i), value(i)})
		if err := expectValue(s, key(i), value(i)); err != nil {
			return err
		}
	}
	return errors.Join(
		expectScan(s, nil, nil, want...),
		expectScan(s, []byte(key(3)), []byte(key(9)), want[2:6]...))
}
