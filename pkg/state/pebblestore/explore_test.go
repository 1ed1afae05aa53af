package pebblestore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func TestExplore(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s, err := Open("d", Options{FS: mem, SyncInterval: -1, memTable: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	const n = 300
	for k := 1; k <= n; k++ {
		if err := s.Commit(batch(k)); err != nil {
			t.Fatal(err)
		}
		if k%10 == 0 {
			if err := s.Sync(); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Close()
	base := mem.CrashClone(vfs.CrashCloneCfg{})
	ls, _ := base.List("d")
	for _, name := range ls {
		st, _ := base.Stat("d/" + name)
		fmt.Println(name, st.Size())
	}
	type key struct{ kind, what string }
	counts := map[key]int{}
	r := rand.New(rand.NewPCG(1, 1))
	for i := 0; i < 1500; i++ {
		fs := base.CrashClone(vfs.CrashCloneCfg{})
		var name string
		for {
			name = ls[r.IntN(len(ls))]
			st, _ := fs.Stat("d/" + name)
			if st.Size() > 0 {
				break
			}
		}
		kind := "other"
		for _, k := range []string{".log", ".sst", "MANIFEST", "OPTIONS"} {
			if strings.Contains(name, k) {
				kind = k
			}
		}
		if kind == "OPTIONS" && i%10 != 0 { continue }
		buf, err := fs.UnsafeGetFileDataBuffer("d/" + name)
		if err != nil {
			t.Fatal(err)
		}
		at := r.IntN(len(buf) * 8)
		buf[at/8] ^= 1 << (at % 8)
		res := make(chan string, 2)
		go func() {
			s, err := Open("d", Options{FS: fs, SyncInterval: -1, memTable: 64 << 10, OnFatal: func(err error) { res <- "fatal " + err.Error() }, Exit: func(int) {}})
			if err != nil {
				e := err.Error()
				res <- "open error " + e[:min(220, len(e))]
				return
			}
			got := read(s)
			switch {
			case got.wrong != nil:
				res <- "WRONG " + got.wrong.Error()
			case got.err != nil:
				res <- "read error"
			case got.batches != n:
				res <- fmt.Sprint("lost ", n-got.batches)
			default:
				res <- "same"
			}
			s.Close()
		}()
		var what string
		select {
		case what = <-res:
		case <-time.After(10 * time.Second):
			what = "HANG"
		}
		counts[key{kind, what}]++
	}
	for k, c := range counts {
		fmt.Println(k.kind, c, k.what)
	}
}
