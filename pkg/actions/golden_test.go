package actions

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files anew")

// section is one titled part of a golden file.
type section struct{ title, text string }

// golden compares sections with testdata/name, or writes them there.
func golden(t *testing.T, name string, got []section) {
	t.Helper()
	var b strings.Builder
	for _, s := range got {
		b.WriteString("-- " + s.title + " --\n" + s.text + "\n\n")
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update and read what changed:\n%s", path, diff)
	}
}
