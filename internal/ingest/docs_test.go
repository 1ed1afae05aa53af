package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every format is in the document, with a mapping of its own, and in the help
// of replay.
func TestDocsNameEveryFormat(t *testing.T) {
	doc := load(t, filepath.Join("..", "..", "docs", "formats.md"))
	help, err := os.ReadFile(filepath.Join("..", "..", "cmd", "loopwatch", "replay.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats() {
		if !strings.Contains(doc, "| `"+string(f)+"` |") || f != Loopwatch && !strings.Contains(doc, "\n## "+string(f)+"\n") {
			t.Errorf("docs/formats.md lacks %s", f)
		}
		if !strings.Contains(string(help), string(f)) {
			t.Errorf("the help of replay lacks %s", f)
		}
	}
}
