package report_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/report"
)

var update = flag.Bool("update", false, "write the example and what the document quotes of it anew")

// The example is what a simulated fleet of 60 agents leaves behind, and the
// document quotes what loopwatch report says about it.
func TestTheExampleAndItsDocument(t *testing.T) {
	c, err := report.New(report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := simulate(t, 60, c)
	path := filepath.Join("..", "..", "examples", "reports", "fleet.jsonl.gz")
	if *update {
		if err := os.WriteFile(path, packed(t, f.raw), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(unpacked(t, path), f.raw) {
		t.Errorf("%s is not what the simulation gives; go test ./internal/report -update writes it", path)
	}
	var out bytes.Buffer
	if err := c.Finish().Print(&out); err != nil {
		t.Fatal(err)
	}
	quote(t, filepath.Join("..", "..", "docs", "reports.md"), trimmed(out.String()))
}

// trimmed takes white space off the ends of lines.
func trimmed(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// quote holds the text between the marks of a document against want.
func quote(t *testing.T, path, want string) {
	t.Helper()
	const begin, end = "<!-- generated: example -->\n```text\n", "\n```\n<!-- end -->"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), begin)
	have, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks of its example", path)
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("%s is out of date; go test ./internal/report -update writes it (-want +have):\n%s", path, diff)
	}
}

func packed(t *testing.T, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
