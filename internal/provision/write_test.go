package provision

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// files reads a directory whole.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func write(t *testing.T, o Options) Report {
	t.Helper()
	r, err := Write(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestASecondRunChangesNothing(t *testing.T) {
	o := Options{Dir: filepath.Join(t.TempDir(), "out"), Tenants: []string{"b", "a", "b"}, Agents: []string{"support", "coder"}, Partitions: 4}
	if r := write(t, o); r.Nothing() || len(r.Changed) != 0 || len(r.Unknown) != 0 || r.Partitions != 4 {
		t.Fatalf("first run: %+v", r)
	}
	first := files(t, o.Dir)
	for name, again := range map[string]Options{"the same": o, "only the directory": {Dir: o.Dir}} {
		if r := write(t, again); !r.Nothing() || r.Partitions != 4 {
			t.Errorf("%s: %+v, want that nothing changed", name, r)
		}
		if got := files(t, o.Dir); !maps.Equal(got, first) {
			t.Errorf("%s: the files differ", name)
		}
	}
	for _, w := range []string{"a.coder", "a.support", "b.coder", "b.support"} {
		if !strings.Contains(first["accounts.conf"], "# worker."+w+"\n") || first["users/worker."+w+".nk"] == "" {
			t.Errorf("there is no worker %s", w)
		}
	}
}

func TestEverythingSecretIsItsOwnersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	write(t, Options{Dir: dir})
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files(t, dir) {
		if name != "users/"+filepath.Base(name) && strings.Contains(text, "SU") && strings.Contains(text, seedOf(t, dir, "processor")) {
			t.Errorf("%s holds a seed", name)
		}
	}
}

func seedOf(t *testing.T, dir, user string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "users", user+".nk"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// What is added is made, what is left out is no longer known to the server, and
// no seed and no edit is lost on the way.
func TestTenantsAndAgentsComeAndGo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	write(t, Options{Dir: dir, Tenants: []string{"a"}, Agents: []string{"support"}})
	conf := filepath.Join(dir, "nats-server.conf")
	edited := []byte("# edited\ninclude \"accounts.conf\"\n")
	if err := os.WriteFile(conf, edited, 0o600); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	r := write(t, Options{Dir: dir, Tenants: []string{"a", "b"}})
	if !slices.Equal(r.Made, []string{"users/worker.b.support.nk", "contexts/worker.b.support.json"}) ||
		!slices.Equal(r.Changed, []string{"accounts.conf", "provision.json"}) {
		t.Errorf("made %v, changed %v", r.Made, r.Changed)
	}
	after := files(t, dir)
	for name, text := range before {
		if strings.HasSuffix(name, ".nk") && after[name] != text || name == "nats-server.conf" && !bytes.Equal([]byte(after[name]), edited) {
			t.Errorf("%s was overwritten", name)
		}
	}
	r = write(t, Options{Dir: dir, Tenants: []string{"b"}})
	if !slices.Equal(r.Unknown, []string{"users/worker.a.support.nk"}) {
		t.Errorf("unknown are %v", r.Unknown)
	}
	if text := files(t, dir)["accounts.conf"]; strings.Contains(text, "WORKERS_a") || !strings.Contains(text, "WORKERS_b") {
		t.Error("tenant a is still there")
	}
	if err := os.Remove(filepath.Join(dir, "users", "worker.b.support.nk")); err != nil {
		t.Fatal(err)
	}
	was := files(t, dir)["accounts.conf"]
	r = write(t, Options{Dir: dir})
	if !slices.Equal(r.Made, []string{"users/worker.b.support.nk"}) || files(t, dir)["accounts.conf"] == was {
		t.Errorf("a seed that was removed is not replaced: %+v", r)
	}
}

func TestWhatCannotBeIsNamedAllAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	_, err := Write(Options{
		Dir: dir, Tenants: []string{"_lw", "a b"}, Agents: []string{"a.>"}, Partitions: -1, Replicas: 6, Listen: "0.0.0.0:4222", TLSCert: "", MaxStore: 5,
	})
	if err == nil {
		t.Fatal("it was written")
	}
	for _, want := range []string{`"_lw"`, `"a b"`, `"a.>"`, "--partitions", "--replicas", "--listen: 0.0.0.0:4222 is reached from elsewhere", "--max-store"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %s:\n%v", want, err)
		}
	}
	if _, serr := os.Stat(dir); serr == nil {
		t.Error("something was written")
	}
	write(t, Options{Dir: dir, Partitions: 4})
	for name, o := range map[string]Options{
		"another partition count": {Dir: dir, Partitions: 8}, "half a pair": {Dir: dir, TLSKey: "k"},
		"an address without port": {Dir: dir, Listen: "localhost"}, "no directory": {},
	} {
		if _, err := Write(o); err == nil {
			t.Errorf("%s: it was written", name)
		}
	}
	if r := write(t, Options{Dir: dir}); !r.Nothing() {
		t.Errorf("refused options left something: %+v", r)
	}
}

func TestABrokenSeedIsNamed(t *testing.T) {
	for name, spoil := range map[string]func(string) error{
		"chmod 600 it": func(p string) error { return os.Chmod(p, 0o644) },
		"restore it":   func(p string) error { return os.WriteFile(p, []byte("SUnonsense"), 0o600) },
	} {
		dir := filepath.Join(t.TempDir(), "out")
		write(t, Options{Dir: dir})
		if err := spoil(filepath.Join(dir, "users", "viewer.nk")); err != nil {
			t.Fatal(err)
		}
		if _, err := Write(Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "viewer.nk") {
			t.Errorf("%v, want that it says %q", err, name)
		}
	}
}
