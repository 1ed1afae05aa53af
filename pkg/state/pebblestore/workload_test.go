package pebblestore

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// The workload of the crash and damage tests: batch k, counted from 1, is a
// function of k, and so is the store after it. A store that holds exactly
// contents(k) for some k is a prefix of the committed batches: each whole or
// absent, none missing before one that is there.

const (
	slots = 7  // keys that are overwritten again and again
	live  = 50 // batches until a batch's own key is deleted
)

// batch is what the k-th commit writes: the count, a key of its own, a slot
// that others overwrite, and the removal of an old key.
func batch(k int) *state.Batch {
	var b state.Batch
	b.Set([]byte("n"), []byte(strconv.Itoa(k)))
	b.Set(ownKey(k), payload(k))
	b.Set(slotKey(k), payload(-k))
	if k > live {
		b.Delete(ownKey(k - live))
	}
	return &b
}

// contents is what the store holds after k batches.
func contents(k int) map[string]string {
	m := map[string]string{}
	if k > 0 {
		m["n"] = strconv.Itoa(k)
	}
	for i := max(1, k-live+1); i <= k; i++ {
		m[string(ownKey(i))] = string(payload(i))
	}
	for i := max(1, k-slots+1); i <= k; i++ {
		m[string(slotKey(i))] = string(payload(-i))
	}
	return m
}

func ownKey(k int) []byte  { return fmt.Appendf(nil, "own/%06d", k) }
func slotKey(k int) []byte { return fmt.Appendf(nil, "slot/%d", k%slots) }

// payload is up to two kilobytes that do not compress.
func payload(k int) []byte {
	r := rand.New(rand.NewPCG(uint64(k), 1))
	p := make([]byte, r.IntN(2000))
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

// reading is what a store turned out to hold.
type reading struct {
	batches int   // it equals contents(batches) …
	wrong   error // … unless it is no prefix at all
	err     error // or could not be read
}

// read reads all of s, by scan and by key.
func read(s *Store) reading {
	got := map[string]string{}
	err := s.Scan(nil, nil, func(key, value []byte) bool {
		got[string(key)] = string(value)
		return true
	})
	if err != nil {
		return reading{err: err}
	}
	k := 0
	if n, ok := got["n"]; ok {
		if k, err = strconv.Atoi(n); err != nil {
			return reading{wrong: fmt.Errorf("the count of batches is %q", n)}
		}
	}
	want := contents(k)
	for key, value := range want {
		if got[key] != value {
			return reading{batches: k, wrong: fmt.Errorf("after %d batches %q is missing or differs", k, key)}
		}
		byKey, err := s.Get([]byte(key))
		if err != nil {
			return reading{err: err}
		}
		if string(byKey) != value {
			return reading{batches: k, wrong: fmt.Errorf("after %d batches get %q and scan differ", k, key)}
		}
	}
	if len(got) != len(want) {
		return reading{batches: k, wrong: fmt.Errorf("after %d batches there are %d keys, want %d", k, len(got), len(want))}
	}
	return reading{batches: k}
}
