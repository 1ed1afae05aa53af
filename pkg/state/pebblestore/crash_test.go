package pebblestore

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// promise is what is known of a store while it is being written to: a crash at
// any moment leaves at least synced batches and at most begun.
type promise struct{ synced, begun atomic.Int64 }

// script opens the store in a new directory, commits until it has filled
// several tables, syncs now and then, closes, and does so a second time.
func script(p *promise, o Options) error {
	for life := 1; life <= 2; life++ {
		s, err := Open("data/state", o)
		if err != nil {
			return err
		}
		for k := int(p.begun.Load()) + 1; k <= life*90; k++ {
			p.begun.Store(int64(k))
			if err := s.Commit(batch(k)); err != nil {
				return err
			}
			if k%7 == 0 {
				if err := s.Sync(); err != nil {
					return err
				}
				p.synced.Store(int64(k))
			}
		}
		if err := s.Close(); err != nil {
			return err
		}
		p.synced.Store(p.begun.Load())
	}
	return nil
}

// recovers says what is wrong with the store on a disk that was left by a
// crash: it must hold a prefix of the batches, no shorter than synced and no
// longer than begun, and must go on from there.
func recovers(disk vfs.FS, synced, begun int64) error {
	s, err := Open("data/state", small(disk))
	if err != nil {
		return err
	}
	got := read(s)
	if got.err != nil || got.wrong != nil {
		return fmt.Errorf("after the crash: %+v", got)
	}
	if n := int64(got.batches); n < synced || n > begun {
		return fmt.Errorf("after the crash there are %d batches, want %d to %d", n, synced, begun)
	}
	const more = 5
	for k := got.batches + 1; k <= got.batches+more; k++ {
		if err := s.Commit(batch(k)); err != nil {
			return err
		}
	}
	if err := s.Close(); err != nil {
		return err
	}
	if s, err = Open("data/state", small(disk)); err != nil {
		return err
	}
	want := reading{batches: got.batches + more}
	if got := read(s); got != want {
		return fmt.Errorf("after the crash and %d batches more: %+v, want %+v", more, got, want)
	}
	return s.Close()
}

// The power is lost before every so many operations on the disk, from the
// first of the creation to the last of a close, and a random share of what was
// not synced is lost with it.
func TestCrashAtAnyOperation(t *testing.T) {
	const stride = 9
	crashes, tails := 0, 0
	for seed := range seeds(t, 3) {
		r := rand.New(rand.NewPCG(seed, 0))
		mem := vfs.NewCrashableMem()
		var p promise
		var mu sync.Mutex // operations come from Pebble's goroutines too
		at := int(seed % stride)
		disk := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if at++; at%stride != 0 || op.Kind.ReadOrWrite() == errorfs.OpIsRead {
				return nil
			}
			synced := p.synced.Load()
			lost := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 30, 70, 100}[r.IntN(4)], RNG: r})
			begun := p.begun.Load()
			crashes++
			if begun > synced {
				tails++
			}
			if err := recovers(lost, synced, begun); err != nil {
				t.Errorf("crash %d of seed %d, before operation %d on %s: %v", crashes, seed, op.Kind, op.Path, err)
			}
			return nil
		}))
		if err := script(&p, small(disk)); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d crashes, %d with batches not yet synced", crashes, tails)
	if crashes < 60 || tails < 20 {
		t.Errorf("%d crashes, %d with batches not yet synced: the script has grown too short", crashes, tails)
	}
}

// Crash follows upon crash: each life goes on from what the last one left,
// while tables are being written and merged.
func TestCrashAfterCrash(t *testing.T) {
	const lives = 8
	for seed := range seeds(t, 4) {
		r := rand.New(rand.NewPCG(seed, 1))
		disk := vfs.NewCrashableMem()
		held := 0
		for life := range lives {
			s, err := Open("data/state", small(disk))
			if err != nil {
				t.Fatalf("seed %d, life %d: %v", seed, life, err)
			}
			got := read(s)
			if got.err != nil || got.wrong != nil || got.batches < held {
				t.Fatalf("seed %d, life %d: %+v, want at least %d batches", seed, life, got, held)
			}
			last := got.batches + 1 + r.IntN(200)
			for k := got.batches + 1; k <= last; k++ {
				mustCommit(t, s, k, k)
				if r.IntN(20) == 0 {
					if err := s.Sync(); err != nil {
						t.Fatal(err)
					}
					held = k
				}
			}
			lost := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r})
			mustClose(t, s)
			disk = lost
		}
	}
}
