package state

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files of the versions this build writes")

// golden joins a record to a value with every field set.
type golden struct {
	record
	sample func(*testing.T) []byte
	read   func([]byte) (string, error) // dump of what it holds
}

var goldens = []golden{
	{runRecord,
		func(t *testing.T) []byte { return AppendRun(nil, fill[Run](newFiller(t, 1, 2))) },
		func(b []byte) (string, error) { return dumpOf(DecodeRun(b)) }},
	{taskRecord,
		func(t *testing.T) []byte { return AppendTask(nil, fill[Task](newFiller(t, 2, 2))) },
		func(b []byte) (string, error) { return dumpOf(DecodeTask(b)) }},
	{metaRecord,
		func(t *testing.T) []byte { return AppendMeta(nil, fill[Meta](newFiller(t, 3, 2))) },
		func(b []byte) (string, error) { m, err := DecodeMeta(b); return dumpOf(&m, err) }},
}

func dumpOf[T any](x *T, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return dump(x), nil
}

// Bytes once released are read forever, and say what they said: fields that
// came later are absent from their dump.
func TestEveryVersionIsRead(t *testing.T) {
	for _, g := range goldens {
		for v := byte(1); v <= g.version; v++ {
			file := filepath.Join("testdata", "codec", fmt.Sprintf("%s.v%d", g.name, v))
			if *update && v == g.version {
				writeGolden(t, g, file)
			}
			stored, err := os.ReadFile(file + ".bin")
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(file + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			got, err := g.read(stored)
			if err != nil {
				t.Errorf("%s: %v", file, err)
			} else if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s reads differently (-stored +now):\n%s", file, diff)
			}
			if v == g.version && string(stored) != string(g.sample(t)) {
				t.Errorf("the bytes of %s version %d are others now: read what changed under coder.since and raise the version; -update alone is for a version that was never released", g.name, v)
			}
		}
	}
}

func writeGolden(t *testing.T, g golden, file string) {
	b := g.sample(t)
	text, err := g.read(b)
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file+".bin", b, 0o644), os.WriteFile(file+".txt", []byte(text), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// grown is a type to which version 2 added a field.
type grown struct {
	Calls int
	Note  string
	Last  int
}

func (g *grown) code(c *coder) {
	c.in("grown")
	c.int(&g.Calls)
	if c.since(2) {
		codeString(c, &g.Note)
	}
	c.int(&g.Last)
}

func TestAnOlderVersionLeavesLaterFieldsZero(t *testing.T) {
	v1, v2 := record{"grown", 'g', 1}, record{"grown", 'g', 2}
	full := grown{Calls: 7, Note: "later", Last: 9}
	for _, test := range []struct {
		name    string
		written record
		want    grown
	}{
		{"its own version", v2, full},
		{"the version before", v1, grown{Calls: 7, Last: 9}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := decodeRecord(appendRecord(nil, test.written, &full, (*grown).code), v2, (*grown).code)
			if err != nil || *got != test.want {
				t.Errorf("read %+v, %v; want %+v", got, err, test.want)
			}
		})
	}
	_, err := decodeRecord(appendRecord(nil, v2, &full, (*grown).code), v1, (*grown).code)
	if want := "decode grown: version 2 is newer than 1, the newest this build reads"; err == nil || errors.Is(err, ErrCorrupt) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("a version to come: %v; want %s …, not corrupt", err, want)
	}
}
