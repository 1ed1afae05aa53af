package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// use runs a policy that extends a preset.
func (w *world) use(yaml string) {
	w.t.Helper()
	p, err := actions.Parse([]byte("name: experiment\n" + yaml))
	if err != nil {
		w.t.Fatal(err)
	}
	if w.eng, err = engine.New(w.part, p, true, features.Key{7}); err != nil {
		w.t.Fatal(err)
	}
}

// said lists the decisions of a stubborn run, one line each: at which event,
// what and why.
func (w *world) said(rounds int) []string {
	var out []string
	note := func(r engine.Result) {
		for _, d := range r.Decisions {
			out = append(out, fmt.Sprintf("%s %s %s %d %s", d.CauseID, d.Detector, d.Kind, d.Rung, d.Reason))
		}
	}
	for n := 1; n <= rounds; n++ {
		note(w.call("r1", n, `{"n":1}`))
		note(w.result("r1", n, `"no scans"`))
	}
	return out
}

// What is held out is found at the same events as what is acted on, rung by
// rung, and nothing is done.
func TestTheHoldoutIsJudgedAlikeAndLeftAlone(t *testing.T) {
	helped, alone := newWorld(t, "default"), newWorld(t, "default")
	helped.use("extends: default\n")
	alone.use("extends: default\nholdout: {share: 1}\n")
	var want []string
	for _, l := range helped.said(12) {
		if strings.HasSuffix(l, " acted") && !strings.Contains(l, " escalate ") {
			want = append(want, strings.TrimSuffix(l, "acted")+"holdout")
		}
	}
	var got []string
	for _, l := range alone.said(12) {
		if strings.HasSuffix(l, " holdout") {
			got = append(got, l)
		}
		if strings.HasSuffix(l, " acted") {
			t.Errorf("acted in the holdout: %s", l)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 2 {
		t.Errorf("decisions (-acted +held out):\n%s", diff)
	}
	r := alone.run("r1")
	if r.Ledger.Halt.Active() || r.Ledger.Observations != 0 || r.Ledger.Controls != 0 || r.Ledger.Fired != "" {
		t.Errorf("the ledger of a run left alone: %+v", r.Ledger)
	}
}

// A duplicate is executed in the holdout: handing back a result is an
// intervention, too.
func TestTheHoldoutExecutesDuplicates(t *testing.T) {
	for _, tt := range []struct {
		share string
		want  actions.Ruling
	}{{"0", actions.ReplayCall}, {"1", actions.Allow}} {
		w := newWorld(t, "sundry")
		w.use("extends: sundry\nholdout: {share: " + tt.share + "}\n")
		w.call("r1", 1, `{"n":1}`)
		w.result("r1", 1, `"no scans"`)
		if got := w.call("r1", 2, `{"n":1}`).Answer.Decision; got != tt.want {
			t.Errorf("share %s: the duplicate is answered %s, want %s", tt.share, got, tt.want)
		}
	}
}

// A holdout of one detector leaves the others their say, and no budget waits
// for an experiment.
func TestAHoldoutOfOneDetector(t *testing.T) {
	w := newWorld(t, "default")
	w.use("extends: default\nholdout: {share: 1, detectors: [repeat, same_result]}\ndetectors: {budget: {max_turns: 6}}\n")
	byReason := map[string]bool{}
	for _, l := range w.said(12) {
		f := strings.Fields(l)
		byReason[f[1]+" "+f[len(f)-1]] = true
	}
	for what, want := range map[string]bool{
		"same_result holdout": true, "same_result acted": false, "repeat acted": false, "stale acted": true,
		"budget acted": true, "budget holdout": false,
	} {
		if byReason[what] != want {
			t.Errorf("%s: %v, want %v; decisions: %v", what, byReason[what], want, byReason)
		}
	}
	if h := w.run("r1").Ledger.Halt; h.Detector != "budget" {
		t.Errorf("halted by %q, want budget", h.Detector)
	}
}

// An operator's halt reaches runs of the holdout.
func TestOperatorsAreObeyedInTheHoldout(t *testing.T) {
	w := newWorld(t, "default")
	w.use("extends: default\nholdout: {share: 1}\n")
	w.start("r1", "")
	got := acted(w.operate(events.Operator{Action: "halt", Scope: events.Scope{Tenant: "default", Task: "t1", Run: "r1"}}))
	if diff := cmp.Diff([]string{"r1:halt:operator"}, got); diff != "" {
		t.Errorf("acts (-want +got):\n%s", diff)
	}
}
