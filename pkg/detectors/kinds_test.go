package detectors_test

import (
	"os"
	"testing"

	"github.com/loopwatch/loopwatch/internal/trace"
)

// TestKinds tells situations to all detectors together, as the default policy
// sets them: what must stay silent, and what must fire whichever of them sees it.
func TestKinds(t *testing.T) {
	for file, silent := range map[string]bool{"testdata/kinds/silent.trace": true, "testdata/kinds/fires.trace": false} {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sections, err := trace.Parse(file, src)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sections {
			if s.Silent() != silent {
				t.Errorf("%s:%d: %q stands in the wrong file", file, s.Line, s.Title)
			}
			s.Settings = append(s.Settings, trace.Setting{Line: s.Line, Key: "policy", Value: "default"})
			t.Run(s.Title, func(t *testing.T) { tell(t, file, "", &s) })
		}
	}
}
