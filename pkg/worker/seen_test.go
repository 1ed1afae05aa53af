package worker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// What was acted on is not acted on again by the process that comes after,
// which says so; what was not is, and a halt holds in every process.
func TestControlsAreSeenOnceAcrossProcesses(t *testing.T) {
	b := newBus(t)
	cfg := b.config()
	cfg.Seen = filepath.Join(t.TempDir(), "seen")
	r := b.run(cfg)
	b.control(aControl("ctl_1", actions.Inject))
	if taken(t, r); len(r.Observations()) != 1 {
		t.Error("not acted on")
	}
	b.ack("ctl_1", events.Applied)
	b.control(aControl("ctl_2", actions.Inject)) // that the process dies with
	taken(t, r)
	r.Close()

	r = b.run(cfg)
	b.control(aControl("ctl_1", actions.Inject))
	b.ack("ctl_1", events.Applied)
	if again := r.Observations(); len(again) != 0 {
		t.Errorf("acted again on %v", again)
	}
	b.control(aControl("ctl_2", actions.Inject))
	if taken(t, r); len(r.Observations()) != 1 {
		t.Error("not acted on")
	}
	b.ack("ctl_2", events.Applied)
	halt := aControl("ctl_3", actions.HaltRun)
	b.control(halt)
	receive(t, r.Done())
	b.ack("ctl_3", events.Applied)
	b.want(events.RunEnd)

	r = b.run(cfg)
	b.control(halt)
	receive(t, r.Done())
}

// A file of any age and state is read; it stays short, and its owner's.
func TestTheFileOfSeenControls(t *testing.T) {
	b := newBus(t)
	path := filepath.Join(t.TempDir(), "seen")
	var long strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&long, "ctl_%d\n", i)
	}
	if err := os.WriteFile(path, []byte(long.String()+"ctl_ha"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := b.config()
	cfg.Seen = path
	r := b.run(cfg)
	b.control(aControl("ctl_9999", actions.Inject))
	b.ack("ctl_9999", events.Applied)
	if got := r.Observations(); len(got) != 0 {
		t.Errorf("acted again on %v", got)
	}
	b.control(aControl("ctl_ha", actions.Inject))
	if taken(t, r); len(r.Observations()) != 1 {
		t.Error("not acted on")
	}
	b.ack("ctl_ha", events.Applied)
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 4096+1 || !strings.HasSuffix(string(text), "\nctl_9999\nctl_ha\n") {
		t.Errorf("%d lines, %v, ending in %q", strings.Count(string(text), "\n"), err, text[max(len(text)-40, 0):])
	}
	cfg.Seen = t.TempDir()
	if r, err := worker.Start(testContext(t), cfg); err == nil {
		r.Close()
		t.Error("a directory is taken for the file")
	}
}
