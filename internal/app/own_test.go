package app_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/natsbus"
)

// Whoever brought the server owns all of it for ever, so nobody joins it, with
// the same keys neither.
func TestNobodyJoinsAnEmbeddedServer(t *testing.T) {
	data := t.TempDir()
	first := start(t, data)
	second, err := app.Start(t.Context(), app.Options{
		Dial: natsbus.Dial{URL: first.app.URL}, Data: t.TempDir(), Keys: filepath.Join(data, "keys"),
	})
	if err == nil {
		t.Errorf("two processors own the same partitions; %v", second.Close())
	} else if !strings.Contains(err.Error(), "brought this server and owns all of it") {
		t.Errorf("refused with: %v", err)
	}
	if err := first.stop(); err != nil {
		t.Error(err)
	}
}
