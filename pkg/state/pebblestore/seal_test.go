package pebblestore

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

func TestParseSeal(t *testing.T) {
	for name, want := range map[string]seal{
		"loopwatch-seal.MANIFEST-000005.867.1a2b3c4d": {"MANIFEST-000005", 867, 0x1a2b3c4d},
		"loopwatch-seal.000006.log.0.00000000":        {"000006.log", 0, 0},
		"loopwatch-seal.a.1.00000001":                 {"a", 1, 1},
	} {
		if got, ok := parseSeal(name); !ok || got != want {
			t.Errorf("parseSeal(%q) = %v, %t, want %v", name, got, ok, want)
		}
	}
	for _, name := range []string{
		"", "000006.log", "loopwatch-seal.", "loopwatch-seal.a", "loopwatch-seal.a.1", "loopwatch-seal..1.00000001",
		"loopwatch-seal.a.-1.00000001", "loopwatch-seal.a.+1.00000001", "loopwatch-seal.a.01.00000001",
		"loopwatch-seal.a.1.1", "loopwatch-seal.a.1.000000001", "loopwatch-seal.a.1.ABCDEF01", "loopwatch-seal.a.x.00000001",
		"marker.loopwatch-format.000001.1", "loopwatch-sealXa.1.00000001",
	} {
		if got, ok := parseSeal(name); ok {
			t.Errorf("parseSeal(%q) = %v, want none", name, got)
		}
	}
}

func FuzzParseSeal(f *testing.F) {
	f.Add("loopwatch-seal.MANIFEST-000005.867.1a2b3c4d")
	f.Add("loopwatch-seal.000006.log.0.00000000")
	f.Fuzz(func(t *testing.T, name string) {
		if s, ok := parseSeal(name); ok && s.name() != name {
			t.Errorf("parseSeal(%q) reads %v", name, s)
		}
	})
}

// writeFile writes parts to a file below d, each in several writes, with a sync
// after each, and closes it.
func writeFile(t *testing.T, fs vfs.FS, name string, parts ...string) {
	t.Helper()
	f, err := fs.Create("d/"+name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		for _, piece := range strings.SplitAfter(part, " ") {
			if _, err := f.Write([]byte(piece)); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func mustSeal(t *testing.T, fs vfs.FS) *sealFS {
	t.Helper()
	if err := fs.MkdirAll("d", ownerOnly); err != nil {
		t.Fatal(err)
	}
	s, err := sealed(fs, "d")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sealNames lists the seals below d, without what they all begin with.
func sealNames(t *testing.T, fs vfs.FS) []string {
	t.Helper()
	names, err := fs.List("d")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range names {
		if rest, ok := strings.CutPrefix(name, sealPrefix); ok {
			out = append(out, rest)
		}
	}
	slices.Sort(out)
	return out
}

func TestWhatIsSealed(t *testing.T) {
	fs := vfs.NewMem()
	s := mustSeal(t, fs)
	expect := func(when string, want ...string) {
		t.Helper()
		if got := sealNames(t, fs); !slices.Equal(got, want) {
			t.Errorf("%s the seals are %q, want %q", when, got, want)
		}
	}
	f, err := s.Create("d/MANIFEST-000001", vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write([]byte("123456789"))
	expect("before a sync")
	err = errors.Join(err, f.Sync())
	// The check value of CRC-32C.
	expect("after a manifest is synced", "MANIFEST-000001.9.e3069283")
	_, werr := f.Write([]byte("0"))
	err = errors.Join(err, werr, f.Sync(), f.Close())
	if err != nil {
		t.Fatal(err)
	}
	expect("after it is synced again", "MANIFEST-000001.10.f3dbd4fe")

	f, err = s.Create("d/000002.log", vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write([]byte("123456789"))
	err = errors.Join(err, f.Sync())
	expect("while a log is open", "MANIFEST-000001.10.f3dbd4fe")
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	expect("after a log is closed", "000002.log.9.e3069283", "MANIFEST-000001.10.f3dbd4fe")
	writeFile(t, s, "000003.sst", "table")
	expect("after a table is closed", "000002.log.9.e3069283", "MANIFEST-000001.10.f3dbd4fe")

	f, err = s.ReuseForWrite("d/000002.log", "d/000004.log", vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	expect("while a log is reused", "MANIFEST-000001.10.f3dbd4fe")
	_, err = f.Write([]byte("1234"))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	expect("after the reused log is closed", "000004.log.4.f63af4ee", "MANIFEST-000001.10.f3dbd4fe")
	if err := s.verify("MANIFEST-000001"); err != nil {
		t.Errorf("a reused log that is longer than what was written: %v", err)
	}
	if err := s.Remove("d/000004.log"); err != nil {
		t.Fatal(err)
	}
	expect("after the log is removed", "MANIFEST-000001.10.f3dbd4fe")
	writeFile(t, s, "MANIFEST-000001")
	expect("after the manifest is written anew and empty")
}

func TestVerify(t *testing.T) {
	const text = "0123456789"
	for _, c := range []struct {
		name     string
		file     string
		after    string // what the file holds when it is opened again
		manifest string // the one in use
		corrupt  bool
	}{
		{"a whole log", "000002.log", text, "", false},
		{"a log with a tail of old bytes", "000002.log", text + "old", "", false},
		{"a log cut by a byte", "000002.log", text[:9], "", true},
		{"an empty log", "000002.log", "", "", true},
		{"a log with another byte", "000002.log", "0123456780", "", true},
		{"a whole manifest", "MANIFEST-000001", text, "MANIFEST-000001", false},
		{"a manifest with a torn tail", "MANIFEST-000001", text + "torn", "MANIFEST-000001", false},
		{"a manifest cut by a byte", "MANIFEST-000001", text[:9], "MANIFEST-000001", true},
		{"a manifest no longer in use", "MANIFEST-000001", text[:9], "MANIFEST-000002", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs := vfs.NewMem()
			writeFile(t, mustSeal(t, fs), c.file, text)
			writeFile(t, fs, c.file, c.after)
			err := mustSeal(t, fs).verify(c.manifest)
			if errors.Is(err, ErrCorrupt) != c.corrupt || err != nil && !c.corrupt {
				t.Errorf("verify = %v, want damage: %t", err, c.corrupt)
			}
		})
	}
}

// What a crash may leave of seals: one whose file is gone, and two of a file.
func TestStraySealsAreRemoved(t *testing.T) {
	fs := vfs.NewMem()
	writeFile(t, mustSeal(t, fs), "000002.log", "0123456789")
	want := sealNames(t, fs)
	for _, stray := range []string{"000001.log.7.00000000", "000002.log.9.00000000", "000002.log.2.00000000"} {
		writeFile(t, fs, sealPrefix+stray)
	}
	if err := mustSeal(t, fs).verify(""); err != nil {
		t.Error(err)
	}
	if got := sealNames(t, fs); !slices.Equal(got, want) {
		t.Errorf("the seals are %q, want %q", got, want)
	}
}

// A file whose seal cannot be written is not synced or closed well: what it
// replaces must not be deleted.
func TestSealThatCannotBeWritten(t *testing.T) {
	for _, broken := range []struct {
		name string
		kind errorfs.OpKind
	}{{"creating it fails", errorfs.OpCreate}, {"syncing the directory fails", errorfs.OpFileSync}} {
		t.Run(broken.name, func(t *testing.T) {
			on := false
			s := mustSeal(t, errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
				if on && op.Kind == broken.kind {
					return errorfs.ErrInjected
				}
				return nil
			})))
			f, err := s.Create("d/000001.log", vfs.WriteCategoryUnspecified)
			if err != nil {
				t.Fatal(err)
			}
			on = true
			if err := f.Close(); !errors.Is(err, errorfs.ErrInjected) {
				t.Errorf("Close = %v, want the fault", err)
			}
		})
	}
}
