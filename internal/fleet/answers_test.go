package fleet

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// A halted run says who halted it, whatever fired on it before.
func TestARunSaysWhyItIsHalted(t *testing.T) {
	lapses := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		halt state.Halt
		want *HaltInfo
	}{
		{"not halted", state.Halt{}, nil},
		{"by a detector", state.Halt{Control: "ctl_1", Incident: "inc_1", Detector: "cycle", FromRun: "r1"}, &HaltInfo{Control: "ctl_1", Incident: "inc_1", Detector: "cycle"}},
		{"with its parent", state.Halt{Control: "ctl_1", Detector: "cycle", FromRun: "r0"}, &HaltInfo{Control: "ctl_1", Detector: "cycle", From: "r0"}},
		{
			"by an operator, for a time", state.Halt{Control: "ctl_1", Detector: "operator", By: "lee", Reason: "freeze", UntilMS: lapses.UnixMilli()},
			&HaltInfo{Control: "ctl_1", Detector: "operator", By: "lee", Reason: "freeze", Until: lapses},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := state.NewRun(state.RunID{Tenant: "default", Task: "t1", Run: "r1"}, "support", 16)
			r.Ledger.Fired, r.Ledger.Halt = "repeat", c.halt
			got := runOf(0, r)
			if d := cmp.Diff(c.want, got.Halt); d != "" || got.Halted != (c.want != nil) || got.Detector != "repeat" {
				t.Errorf("%+v (-want +have):\n%s", got, d)
			}
			if d := cmp.Diff(got.Halt, detailOf(0, r).Halt); d != "" {
				t.Errorf("in its detail (-list +detail):\n%s", d)
			}
		})
	}
}
