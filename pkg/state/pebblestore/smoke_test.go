package pebblestore

import (
	"testing"
	"path/filepath"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/loopwatch/loopwatch/pkg/state"
	"github.com/loopwatch/loopwatch/pkg/state/storetest"
)

func TestMem(t *testing.T) {
	fs := vfs.NewMem()
	storetest.RunDurable(t, func(t *testing.T, name string) state.Store {
		s, err := Open(name, Options{FS: fs})
		if err != nil { t.Fatal(err) }
		return s
	})
}
func TestDisk(t *testing.T) {
	dir := t.TempDir()
	storetest.Run(t, func(t *testing.T) state.Store {
		s, err := Open(filepath.Join(t.TempDir(), "x"), Options{})
		if err != nil { t.Fatal(err) }
		return s
	})
	_ = dir
}
