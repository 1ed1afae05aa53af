package app_test

import (
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/natsbus"
)

func TestASecondProcessorIsRefused(t *testing.T) {
	first := start(t, t.TempDir())
	second, err := app.Start(t.Context(), app.Options{Dial: natsbus.Dial{URL: first.app.URL}, Data: t.TempDir()})
	if err == nil {
		t.Errorf("two processors own the same partitions; %v", second.Close())
	} else if !strings.Contains(err.Error(), "already: stop it first") {
		t.Errorf("refused with: %v", err)
	}
	if err := first.stop(); err != nil {
		t.Error(err)
	}
}
