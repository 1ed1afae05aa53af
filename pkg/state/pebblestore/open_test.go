package pebblestore

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"
)

func TestOpenCreatesForTheOwnerOnly(t *testing.T) {
	top := filepath.Join(t.TempDir(), "top")
	if err := os.Mkdir(top, 0o750); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, "data", "state")
	mustOpen(t, dir, Options{})
	for path, want := range map[string]os.FileMode{top: 0o750, filepath.Dir(dir): 0o700, dir: 0o700} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
		o     Options
		want  string
	}{
		{"a file", func(t *testing.T, dir string) {
			if err := os.WriteFile(dir, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, Options{}, "create data directory %s: "},
		{"below a file", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Dir(dir), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, Options{}, "create data directory %s: "},
		{"a newer format", func(t *testing.T, dir string) { mark(t, dir, "2") }, Options{},
			"open data directory %s: it has format 2 of a newer loopwatch, this one reads up to 1: run the newer one, or choose another --data"},
		{"a strange format", func(t *testing.T, dir string) { mark(t, dir, "one") }, Options{},
			`open data directory %s: read the format marker: "one" is no format: choose another --data`},
		{"another program's database", func(t *testing.T, dir string) {
			db, err := pebble.Open(dir, &pebble.Options{Logger: quiet{}})
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}, Options{}, "open data directory %s: it holds a database that loopwatch did not write: choose another --data"},
		{"a cache below zero", nil, Options{CacheBytes: -1},
			"open store: a cache of -1 bytes: 0 means 67108864, anything else must be above it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data", "state")
			if c.spoil != nil {
				if c.name != "below a file" {
					if err := os.Mkdir(filepath.Dir(dir), 0o700); err != nil {
						t.Fatal(err)
					}
				}
				c.spoil(t, dir)
			}
			before := names(dir)
			want := strings.ReplaceAll(c.want, "%s", dir)
			for range 2 { // the second time says whether the first let go
				_, err := Open(dir, c.o)
				if err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Fatalf("Open = %v, want %s", err, want)
				}
			}
			if after := names(dir); !slices.Equal(before, after) {
				t.Errorf("a refused directory held %v and holds %v", before, after)
			}
		})
	}
}

func TestOpenTakesAnOlderFormat(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, "d", small(fs))
	mustCommit(t, s, 1, 3)
	mustClose(t, s)
	for _, current := range []int{Format, Format + 1, Format + 1} {
		if err := claimFormat(fs, "d", current); err != nil {
			t.Fatalf("claim with format %d: %v", current, err)
		}
	}
	if got, err := atomicfs.ReadMarker(fs, "d", formatMarker); err != nil || got != "2" {
		t.Errorf("the marker says %q, %v, want 2: an older program must not open it any more", got, err)
	}
	if _, err := Open("d", small(fs)); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("Open of what a newer program has marked = %v", err)
	}
}

// The directory is marked before there is a database in it, and a database
// that was being created when the process ended is created again.
func TestOpenAfterAnInterruptedCreation(t *testing.T) {
	fs := vfs.NewMem()
	if err := fs.MkdirAll("d", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := claimFormat(fs, "d", Format); err != nil {
		t.Fatal(err)
	}
	o, err := small(fs).withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	db, err := pebble.Open("d", &pebble.Options{FS: o.FS, Logger: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, "d", small(fs))
	if got := s.db.FormatMajorVersion(); got != pebble.FormatNewest {
		t.Errorf("the database has format %s, want %s", got, pebble.FormatNewest)
	}
	mustCommit(t, s, 1, 3)
	mustHold(t, s, 3)
}

func TestOpenTwiceInOneProcess(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "data")
	s := mustOpen(t, dir, Options{})
	link := filepath.Join(base, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(base)
	for _, spelling := range []string{dir, "data", "./data/../data", link} {
		_, err := Open(spelling, Options{})
		want := "lock data directory " + spelling + ": in use by another process: stop it or choose another --data"
		if !errors.Is(err, ErrInUse) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Open(%s) of an open store = %v, want %s", spelling, err, want)
		}
	}
	mustClose(t, s)
	mustClose(t, mustOpen(t, link, Options{}))
}

// Another process keeps the directory until it is killed, and leaves behind
// what it had synced.
func TestOpenBesideAnotherProcess(t *testing.T) {
	if dir := os.Getenv("LOOPWATCH_TEST_DIR"); dir != "" {
		s := mustOpen(t, dir, small(nil))
		mustCommit(t, s, 1, 20)
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("ready\n")
		select {} // until it is killed
	}
	dir := filepath.Join(t.TempDir(), "data")
	cmd := testProcess(t, "LOOPWATCH_TEST_DIR="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	for lines := bufio.NewScanner(out); !strings.HasSuffix(said.String(), "ready\n"); {
		if !lines.Scan() {
			t.Fatalf("the other process ended: %v\n%s", cmd.Wait(), said.String())
		}
		said.WriteString(lines.Text() + "\n")
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrInUse) {
		t.Errorf("Open of another process' directory = %v, want ErrInUse", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	mustHold(t, mustOpen(t, dir, Options{}), 20)
}

// mark makes dir one of the given format.
func mark(t *testing.T, dir, format string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "marker."+formatMarker+".000001."+format), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// names lists dir but for the lock.
func names(dir string) []string {
	var out []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != "LOCK" {
			out = append(out, e.Name())
		}
	}
	return out
}

// quiet is a logger for databases that are not the store's.
type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) { panic("fatal") }
