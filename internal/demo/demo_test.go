package demo_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/demo"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// The fleet under a real processor: what loops is told or halted, what only
// looks like a loop is left alone.
func TestTheFleet(t *testing.T) {
	policy, err := actions.Preset("default")
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.Start(t.Context(), app.Options{Embedded: true, Volatile: true, Data: t.TempDir(), Policy: policy, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	var fleet demo.Fleet
	if err := fleet.Run(t.Context(), demo.Options{
		URL: a.URL, Trusted: actions.NewKeyRing(a.Keys.Control.Public()), Guard: policy, Agents: 24, Seed: 1, Duration: 2 * time.Second,
	}); err != nil {
		t.Fatal(err)
	}
	met := map[string]int{}
	for _, l := range fleet.Lines() {
		met[l.Kind]++
		switch l.Kind {
		case "coder", "poller":
			if l.Status != "done" || l.Observations > 0 {
				t.Errorf("%s is right to do what it does, and is %s after %d observations", l.Run, l.Status, l.Observations)
			}
		case "quitter":
			if l.Status != "blocked" {
				t.Errorf("%s gives up properly, and is %s", l.Run, l.Status)
			}
		case "spender":
			if l.Status != "halted" || l.Detector != "budget" || l.Spent > 0.35 {
				t.Errorf("%s spent %.2f of 0.25 USD and is %s by %s", l.Run, l.Spent, l.Status, l.Detector)
			}
		default:
			if saved, _ := l.Saved(); saved == 0 || !l.Recovered() && l.Status != "stuck" {
				t.Errorf("%s loops, and is %s after %d turns and %d observations", l.Run, l.Status, l.Turns, l.Observations)
			}
		}
	}
	if len(met) != 8 || met["support"] != 3 {
		t.Errorf("the fleet is %v", met)
	}
	report(t, &fleet)
}

// report holds the report against the lines it sums up.
func report(t *testing.T, fleet *demo.Fleet) {
	t.Helper()
	var out bytes.Buffer
	if err := fleet.Report(&out); err != nil {
		t.Fatal(err)
	}
	sum := fleet.Totals()
	turns, usd := 0, 0.0
	for _, l := range fleet.Lines() {
		n, d := l.Saved()
		turns, usd = turns+n, usd+d
	}
	if sum.SavedTurns != turns || sum.SavedUSD != usd || sum.Agents != 24 || sum.Halted+sum.Recovered+sum.Blocked+sum.Untouched != 24 {
		t.Errorf("totals %+v, saved %d turns and %.2f USD", sum, turns, usd)
	}
	for _, want := range []string{
		"24 agents spent", fmt.Sprintf("Saved: %d turns, %.2f USD", turns, usd), fmt.Sprintf("%d were halted:", sum.Halted),
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}
