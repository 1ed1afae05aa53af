package pebblestore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// written is a disk after a life of n batches with some syncs, at the end of
// which the store is closed or, where it is killed, not.
func written(t *testing.T, n int, o func(fs vfs.FS) Options, killed bool) *vfs.MemFS {
	t.Helper()
	fs := vfs.NewCrashableMem()
	s := mustOpen(t, "d", o(fs))
	for k := 1; k <= n; k++ {
		mustCommit(t, s, k, k)
		if k%10 == 0 || k == n {
			if err := s.Sync(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !killed {
		mustClose(t, s)
	}
	return fs.CrashClone(vfs.CrashCloneCfg{})
}

// flip returns a copy of the disk with one bit of the named file changed.
func flip(t *testing.T, disk *vfs.MemFS, name string, bit int) *vfs.MemFS {
	t.Helper()
	fs := disk.CrashClone(vfs.CrashCloneCfg{})
	data, err := fs.UnsafeGetFileDataBuffer(fs.PathJoin("d", name))
	if err != nil {
		t.Fatal(err)
	}
	data[bit/8] ^= 1 << (bit % 8)
	return fs
}

// files lists those of the disk that are not empty and whose names hold part,
// with their sizes in bytes.
func files(t *testing.T, disk *vfs.MemFS, part string) (names []string, sizes map[string]int) {
	t.Helper()
	all, err := disk.List("d")
	if err != nil {
		t.Fatal(err)
	}
	sizes = map[string]int{}
	for _, name := range all {
		info, err := disk.Stat(disk.PathJoin("d", name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > 0 && strings.Contains(name, part) {
			names = append(names, name)
			sizes[name] = int(info.Size())
		}
	}
	slices.Sort(names)
	return names, sizes
}

// lookAt opens a damaged disk, in which tables may be merged at once, and
// reads all of it; a store that gives up is an error like any other. Call it
// in a process of its own.
func lookAt(disk vfs.FS) reading {
	o := small(disk)
	seen := make(chan reading, 2)
	o.OnFatal = func(err error) { seen <- reading{err: err} }
	o.Exit = func(int) {}
	go func() {
		s, err := Open("d", o)
		if err != nil {
			seen <- reading{err: err}
			return
		}
		got := read(s)
		if err := s.Close(); got.err == nil {
			got.err = err
		}
		seen <- got
	}()
	select {
	case got := <-seen:
		return got
	case <-time.After(30 * time.Second):
		return reading{err: errors.New("the store hangs")}
	}
}

// A flipped bit anywhere is noticed or changes nothing. Where the process was
// killed, the log that was open then may lose its end instead: what Pebble
// takes for the end of a log need not be it. Then the store is older, and the
// stream has the rest.
func TestFlippedBits(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	for _, kind := range []string{".log", ".sst", "MANIFEST", "OPTIONS"} {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s killed %t", kind, killed), func(t *testing.T) {
				ends := map[string]int{}
				for seed := range seeds(t, 2) {
					flipSome(t, rand.New(rand.NewPCG(seed, 2)), kind, killed, ends)
				}
				t.Logf("%v", ends)
				if ends[noticed] == 0 {
					t.Error("no flipped bit was noticed")
				}
			})
		}
	}
}

// How a damaged store may end.
const (
	noticed  = "noticed"
	unharmed = "unharmed"
	tailLost = "a tail lost" // it holds fewer batches and says nothing
	wrong    = "wrong"       // it holds what it never held
)

// flipSome flips bits of one history, one at a time, and counts how it ended.
func flipSome(t *testing.T, r *rand.Rand, kind string, killed bool, ends map[string]int) {
	t.Helper()
	n := 300 + r.IntN(300)
	disk := written(t, n, func(fs vfs.FS) Options {
		o := small(fs)
		o.memTable = 256 << 10 // logs of several blocks
		return o
	}, killed)
	names, sizes := files(t, disk, kind)
	for range 25 {
		if len(names) == 0 {
			return // killed before the first table was written
		}
		name := names[r.IntN(len(names))]
		bit := r.IntN(8 * sizes[name])
		end, err := judgeDamage(lookAt(flip(t, disk, name, bit)), n)
		switch {
		case end == wrong:
		case end == tailLost && !(killed && name == names[len(names)-1] && kind == ".log"):
			err = errors.New("batches are lost")
		case end == noticed && kind != "OPTIONS" && !errors.Is(err, ErrCorrupt):
			err = fmt.Errorf("the error is not ErrCorrupt: %w", err)
		default:
			err = nil
		}
		if err != nil {
			t.Errorf("bit %d of %s of %v after %d batches: %s: %v", bit, name, names, n, end, err)
		}
		ends[end]++
	}
}

// judgeDamage names how a damaged store of n batches ended.
func judgeDamage(got reading, n int) (end string, err error) {
	switch {
	case got.wrong != nil:
		return wrong, got.wrong
	case got.err != nil:
		return noticed, got.err
	case got.batches == n:
		return unharmed, nil
	}
	return tailLost, nil
}

// The first log of a new store is as safe as any other: had the database not
// been opened twice, any flipped bit would silently end it.
func TestFlippedBitInTheFirstLog(t *testing.T) {
	const n = 80 // all in one log, and half of it well before the last syncs
	large := func(fs vfs.FS) Options { return Options{FS: fs, SyncInterval: -1} }
	disk := written(t, n, large, true)
	names, sizes := files(t, disk, ".log")
	first := names[len(names)-1]
	if sizes[first] < 500*n {
		t.Fatalf("the log %s has %d bytes: the batches are not all in it", first, sizes[first])
	}
	ends := map[string]int{}
	for seed := range seeds(t, 40) {
		bit := rand.New(rand.NewPCG(seed, 3)).IntN(8 * sizes[first] / 2)
		s, err := Open("d", large(flip(t, disk, first, bit)))
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("seed %d: bit %d of %s: %v, want ErrCorrupt", seed, bit, first, err)
			}
			ends[noticed]++
			continue
		}
		end, err := judgeDamage(read(s), n)
		if end == wrong {
			t.Errorf("seed %d: bit %d of %s: %v", seed, bit, first, err)
		}
		ends[end]++
		mustClose(t, s)
	}
	if ends[noticed] < 9*ends[tailLost] || ends[noticed] == 0 {
		t.Errorf("of bits flipped in %s: %v, want nearly all noticed", first, ends)
	}
}

// One bit in the head of a record makes Pebble take it for a proper end of the
// log. That must not hide what comes between it and the next log.
func TestFlippedLogNumber(t *testing.T) {
	const n = 300
	large := func(fs vfs.FS) Options { return Options{FS: fs, SyncInterval: -1} }
	for _, killed := range []bool{false, true} {
		disk := written(t, n, large, killed)
		names, sizes := files(t, disk, ".log")
		first := names[0]
		data, err := disk.UnsafeGetFileDataBuffer("d/" + first)
		if err != nil || len(names) < 2 {
			t.Fatalf("%v, want at least two logs: %v", names, err)
		}
		// A record's head of 19 bytes holds the log's number at its byte 7.
		second := 19 + int(data[4]) + int(data[5])<<8
		if data[second+7] != data[7] || data[7]%2 != 0 || second > sizes[first] {
			t.Fatalf("%s has another form than expected: % x", first, data[second:second+19])
		}
		s, err := Open("d", large(flip(t, disk, first, 8*(second+7))))
		if err == nil {
			t.Errorf("killed %t: the log ends after its first record and nobody says so: %+v", killed, read(s))
			mustClose(t, s)
		} else if !errors.Is(err, ErrCorrupt) {
			t.Errorf("killed %t: %v, want ErrCorrupt", killed, err)
		}
	}
}

// oneTable is a disk on which n batches are in a table and no log, with the
// first block of the table damaged.
func oneTable(t *testing.T, n int) *vfs.MemFS {
	t.Helper()
	o := func(fs vfs.FS) Options { return Options{FS: fs, SyncInterval: -1} }
	disk := written(t, n, o, false)
	mustClose(t, mustOpen(t, "d", o(disk))) // turns the log into a table
	disk = disk.CrashClone(vfs.CrashCloneCfg{})
	names, _ := files(t, disk, ".sst")
	if len(names) != 1 {
		t.Fatalf("there are the tables %v, want one", names)
	}
	return flip(t, disk, names[0], 800)
}

// Damage that a read meets is that read's error; the process lives on.
func TestReadingDamage(t *testing.T) {
	s := mustOpen(t, "d", Options{FS: oneTable(t, 20), SyncInterval: -1, OnFatal: func(err error) { t.Errorf("fatal: %v", err) }})
	_, get := s.Get([]byte("n"))
	for want, err := range map[string]error{
		`get "n" from d: `: get,
		`scan ["", "") of d: `: s.Scan(nil, nil, func(key, _ []byte) bool {
			t.Errorf("a scan of damage gives %q", key)
			return true
		}),
	} {
		want += "the stored state is damaged: move the directory away and start again, the state is rebuilt from the stream: "
		if !errors.Is(err, ErrCorrupt) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error = %v, want %s", err, want)
		}
	}
	mustCommit(t, s, 21, 21)
	mustClose(t, s)
}

// Damage that a merge of tables meets ends the process: Pebble would try again
// and again while commits wait.
func TestMergingDamage(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	ended := make(chan error, 1)
	o := Options{FS: oneTable(t, 20), SyncInterval: -1, Exit: func(int) {}, OnFatal: func(err error) { ended <- err }}
	s, err := Open("d", o)
	if err != nil {
		t.Fatal(err)
	}
	mustCommit(t, s, 21, 30)
	go func() { t.Errorf("the merge returned: %v", s.db.Compact(t.Context(), []byte("a"), []byte("z"), false)) }()
	select {
	case err = <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("the merge goes on")
	}
	if !errors.Is(err, ErrCorrupt) || !strings.HasPrefix(err.Error(), "give up data directory d: the stored state is damaged: ") {
		t.Errorf("fatal error = %v, want ErrCorrupt", err)
	}
}

// A table or the list of them that is gone, and a log that is cut short, are
// damage too.
func TestMissingFiles(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	disk := written(t, 300, small, false)
	for _, c := range []struct {
		name, part string
		spoil      func(fs *vfs.MemFS, path string) error
	}{
		{"no table", ".sst", func(fs *vfs.MemFS, path string) error { return fs.Remove(path) }},
		{"a table cut short", ".sst", half},
		{"no manifest", "MANIFEST", func(fs *vfs.MemFS, path string) error { return fs.Remove(path) }},
		{"a manifest cut short", "MANIFEST", half},
		{"a log cut short", ".log", half},
	} {
		t.Run(c.name, func(t *testing.T) {
			names, _ := files(t, disk, c.part)
			fs := disk.CrashClone(vfs.CrashCloneCfg{})
			if err := c.spoil(fs, fs.PathJoin("d", names[len(names)-1])); err != nil {
				t.Fatal(err)
			}
			if got := lookAt(fs); !errors.Is(got.err, ErrCorrupt) {
				t.Errorf("the store gives %+v, want ErrCorrupt", got)
			}
		})
	}
}

// half cuts the second half of a file off.
func half(fs *vfs.MemFS, path string) error {
	data, err := fs.UnsafeGetFileDataBuffer(path)
	if err != nil {
		return err
	}
	kept := slices.Clone(data[:len(data)/2])
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if _, err := f.Write(kept); err != nil {
		return err
	}
	return f.Close()
}
