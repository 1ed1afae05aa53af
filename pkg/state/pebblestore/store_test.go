package pebblestore

import (
	"errors"
	"flag"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/loopwatch/loopwatch/pkg/state"
	"github.com/loopwatch/loopwatch/pkg/state/storetest"
)

func TestConformance(t *testing.T) {
	for name, memTable := range map[string]uint64{"memory alone": 0, "tables on disk": 16 << 10} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			storetest.RunDurable(t, func(t *testing.T, name string) state.Store {
				o := small(fs)
				o.memTable = memTable
				return mustOpen(t, name, o)
			})
		})
	}
}

func TestConformanceOnDisk(t *testing.T) {
	// Every history opens stores that wait for a real disk.
	checks := flag.Lookup("rapid.checks").Value
	all := checks.String()
	t.Cleanup(func() { _ = checks.Set(all) })
	if err := checks.Set("10"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	storetest.RunDurable(t, func(t *testing.T, name string) state.Store {
		return mustOpen(t, filepath.Join(dir, name), Options{})
	})
}

func TestDiskBytes(t *testing.T) {
	s := mustOpen(t, "d", small(vfs.NewMem()))
	before := s.DiskBytes()
	mustCommit(t, s, 1, 200)
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	if got := s.DiskBytes(); got < before+50<<10 {
		t.Errorf("DiskBytes grew from %d to %d over 200 batches", before, got)
	}
	mustClose(t, s)
	if got := s.DiskBytes(); got != 0 {
		t.Errorf("DiskBytes of a closed store = %d, want 0", got)
	}
}

func TestErrorsNameTheCall(t *testing.T) {
	s := mustOpen(t, "d", small(vfs.NewMem()))
	mustClose(t, s)
	_, get := s.Get([]byte("run/1"))
	for want, err := range map[string]error{
		`get "run/1": the store is closed`:     get,
		`scan ["a", "b"): the store is closed`: s.Scan([]byte("a"), []byte("b"), nil),
		`commit 3 writes: the store is closed`: s.Commit(batch(1)),
		`sync: the store is closed`:            s.Sync(),
		`close d: the store is closed`:         s.Close(),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("error = %v, want %s", err, want)
		}
	}
}

func TestAnErrorOfCommitStands(t *testing.T) {
	s := mustOpen(t, "d", small(vfs.NewMem()))
	mustCommit(t, s, 1, 1)
	bad := s.Commit(&state.Batch{Ops: []state.Op{{Key: []byte("good")}, {Value: []byte("no key")}}})
	if bad == nil || !strings.Contains(bad.Error(), "commit 2 writes to d: number 1 has an empty key") {
		t.Fatalf("commit of an empty key: %v", bad)
	}
	_, get := s.Get([]byte("n"))
	for name, err := range map[string]error{
		"commit": s.Commit(batch(2)), "get": get, "sync": s.Sync(),
		"scan": s.Scan(nil, nil, nil), "close": s.Close(),
	} {
		if !errors.Is(err, bad) {
			t.Errorf("%s after a failed commit = %v, want the same error", name, err)
		}
	}
}

// Close lets calls under way finish; those that come later are turned away.
func TestCloseBesideReaders(t *testing.T) {
	s := mustOpen(t, "d", small(vfs.NewMem()))
	mustCommit(t, s, 1, 100)
	var group sync.WaitGroup
	started := make(chan struct{}, 8)
	for range cap(started) {
		group.Go(func() {
			for first := true; ; first = false {
				got := read(s)
				if first {
					started <- struct{}{}
				}
				if errors.Is(got.err, errClosed) {
					return
				}
				if got != (reading{batches: 100}) {
					t.Errorf("read %+v", got)
					return
				}
			}
		})
	}
	for range cap(started) {
		<-started
	}
	mustClose(t, s)
	group.Wait()
}

func TestSyncedSurvivesALossOfPower(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := mustOpen(t, "data/state", small(fs))
	mustCommit(t, s, 1, 10)
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, s, 11, 12)
	mustHold(t, mustOpen(t, "data/state", small(fs.CrashClone(vfs.CrashCloneCfg{}))), 10)
	mustClose(t, s)
	mustHold(t, mustOpen(t, "data/state", small(fs.CrashClone(vfs.CrashCloneCfg{}))), 12)
}

func TestSyncIsFreeWithoutCommits(t *testing.T) {
	var syncs atomic.Int64
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch op.Kind {
		case errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo:
			syncs.Add(1)
		}
		return nil
	}))
	s := mustOpen(t, "d", small(fs))
	for _, step := range []struct {
		name    string
		commits int
		want    int64
	}{{"after open", 0, 0}, {"after a commit", 1, 1}, {"again", 0, 0}, {"after three commits", 3, 1}} {
		for range step.commits {
			mustCommit(t, s, 1, 1)
		}
		before := syncs.Load()
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
		if got := syncs.Load() - before; got != step.want {
			t.Errorf("%s: Sync synced %d files, want %d", step.name, got, step.want)
		}
	}
}

func TestCommitsAreSyncedAtAnInterval(t *testing.T) {
	for _, c := range []struct {
		name     string
		interval time.Duration
		after    time.Duration
		want     int
	}{
		{"by default every 200 ms", 0, 201 * time.Millisecond, 5},
		{"not before", 0, 199 * time.Millisecond, 0},
		{"every minute", time.Minute, 61 * time.Second, 5},
		{"below zero never", -1, time.Hour, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fs := vfs.NewCrashableMem()
				o := small(fs)
				o.SyncInterval = c.interval
				s := mustOpen(t, "d", o)
				mustCommit(t, s, 1, 5)
				time.Sleep(c.after)
				synctest.Wait()
				after := mustOpen(t, "d", small(fs.CrashClone(vfs.CrashCloneCfg{})))
				mustHold(t, after, c.want)
				mustClose(t, after)
				mustClose(t, s)
			})
		})
	}
}

func BenchmarkCommit(b *testing.B) {
	s, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	var batch state.Batch
	for i := 0; b.Loop(); i++ {
		batch.Reset()
		for j := range 1000 {
			batch.Set(ownKey((i*7919+j)%100_000), make([]byte, 64))
		}
		if err := s.Commit(&batch); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	dir := b.TempDir()
	const n = 100_000
	for range 2 { // the second opening has tables
		s, err := Open(dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		var batch state.Batch
		for i := range n {
			batch.Set(ownKey(2*i), make([]byte, 500))
		}
		if err := s.Commit(&batch); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	s, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		name string
		odd  int
	}{{"present", 0}, {"absent", 1}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := s.Get(ownKey(2*(i*7919%n) + c.odd)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
