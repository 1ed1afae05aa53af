package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/actions"
)

func TestReadLabels(t *testing.T) {
	got, err := ReadLabels(strings.NewReader(`{"run":"a","label":"loop","first_seq":3,"hint_seq":9,"halt_seq":null}

{"run":"b","label":"productive","first_seq":null}
`), "x")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got["a"].HintSeq != 9 || got["a"].HaltSeq != 0 || got["b"].Label != Productive {
		t.Errorf("read %+v", got)
	}
	for name, bad := range map[string]string{
		"no JSON": "{", "no run": `{"label":"loop"}`, "unknown label": `{"run":"a","label":"perhaps"}`,
	} {
		if _, err := ReadLabels(strings.NewReader(bad), "x"); err == nil || !strings.Contains(err.Error(), "x:1") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestJudge(t *testing.T) {
	calls := []uint64{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 160, 170, 180}
	loop := Label{Run: "r", Label: Loop, FirstSeq: 40, HintSeq: 60, HaltSeq: 100}
	hint, halt := actions.Inject, actions.HaltRun
	for _, c := range []struct {
		name string
		l    Label
		acts []Act
		want Verdict
	}{
		{"silent on a loop", loop, nil, Verdict{}},
		{"in time", loop, []Act{{60, hint, "repeat"}}, Verdict{Hinted: true, Detector: "repeat", Seq: 60}},
		{"a call late", loop, []Act{{70, hint, "repeat"}}, Verdict{Hinted: true, Detector: "repeat", Seq: 70, Delay: 1}},
		{"a call early", loop, []Act{{50, hint, "repeat"}}, Verdict{Hinted: true, Detector: "repeat", Seq: 50, Delay: -1}},
		{"two calls before the loop", loop, []Act{{20, hint, "x"}}, Verdict{Hinted: true, Detector: "x", Seq: 20, Delay: -4}},
		{"three calls before the loop", loop, []Act{{10, hint, "x"}}, Verdict{Outside: 1}},
		{"eleven calls too late", loop, []Act{{170, hint, "x"}}, Verdict{Outside: 1}},
		{"as late as was wasted", Label{Run: "r", Label: Loop, FirstSeq: 40, HintSeq: 60, HaltSeq: 100, Wasted: 11}, []Act{{170, hint, "x"}},
			Verdict{Hinted: true, Detector: "x", Seq: 170, Delay: 11}},
		{"hint and halt", loop, []Act{{60, hint, "a"}, {100, halt, "b"}}, Verdict{Hinted: true, Halted: true, Detector: "a", Seq: 60}},
	} {
		c.want.Run, c.want.Label, c.want.Deserves = "r", Loop, true
		if d := cmp.Diff(c.want, Judge(c.l, Observed{Calls: calls, Acts: c.acts})); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
	alarm := Judge(Label{Run: "p", Label: Productive, Why: "edits in between"}, Observed{Acts: []Act{{5, halt, "repeat"}}})
	if !alarm.Hinted || !alarm.Halted || alarm.Why != "edits in between" {
		t.Errorf("a false alarm: %+v", alarm)
	}
}

func TestSum(t *testing.T) {
	g := Sum([]Verdict{
		{Label: Loop, Hinted: true, Halted: true, Deserves: true, Delay: 3},
		{Label: Loop, Hinted: true, Delay: 0, Random: true},
		{Label: Loop, Deserves: true},
		{Label: Productive, Hinted: true, Random: true},
		{Label: Productive},
		{Label: Borderline, Hinted: true},
	})
	want := Group{
		Loops: 3, LoopsHinted: 2, Productive: 2, ProductiveHinted: 1, Borderline: 1, BorderlineHinted: 1,
		Deserving: 2, Stopped: 1, Random: 2, RandomHinted: 2, RandomTP: 1, DelayMedian: 3, DelayP90: 3,
	}
	if d := cmp.Diff(want, g); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// shared returns the directory of recorded runs. A clone without it skips the
// test; continuous integration must have it.
func shared(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("LOOPWATCH_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "data", "labels.jsonl")); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("labelled runs are not there: %v", err)
		}
		t.Skipf("labelled runs are not there (set LOOPWATCH_SHARED): %v", err)
	}
	return dir
}

func preset(t *testing.T, name string) *actions.Policy {
	t.Helper()
	p, err := actions.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The default policy on the labelled runs: what it must reach to be shipped.
func TestDefaultOnLabelledRuns(t *testing.T) {
	dir := shared(t)
	f, err := os.Open(filepath.Join(dir, "data", "labels.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	labels, err := ReadLabels(f, "labels.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "data", "runs", "*.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := Labels(preset(t, "default"), Input{Labels: labels, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	g := Sum(all)
	t.Logf("%+v", g)
	switch {
	case len(all) != len(labels):
		t.Errorf("%d of %d labelled runs found", len(all), len(labels))
	case g.LoopsHinted*100 < g.Loops*85:
		t.Errorf("%d of %d loops hinted, want 85 %%", g.LoopsHinted, g.Loops)
	case g.ProductiveHinted*100 > g.Productive*2:
		t.Errorf("%d of %d productive runs hinted, want at most 2 %%", g.ProductiveHinted, g.Productive)
	case g.ProductiveHalted > 0:
		t.Errorf("%d productive runs halted", g.ProductiveHalted)
	case g.DelayMedian > 1:
		t.Errorf("hinted %d calls after the reader in the median", g.DelayMedian)
	case g.Stopped*10 < g.Deserving*8:
		t.Errorf("%d of %d runs that deserve it halted, want 80 %%", g.Stopped, g.Deserving)
	}
}

// peerExceptions are the scenarios of other detectors' test suites on which
// the default policy differs, each with its reason in docs/detection.md.
var peerExceptions = map[string]bool{
	"qwen-code-12": true, "roo-code-09": true, "cline-04": true, "crush-07": true, "docker-agent-05": true, "docker-agent-07": true,
}

func TestDefaultOnCases(t *testing.T) {
	dir := shared(t)
	for _, name := range []string{"reports.jsonl", "peers.jsonl"} {
		f, err := os.Open(filepath.Join(dir, "cases", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Cases(preset(t, "default"), f, name)
		_ = f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range got {
			if !o.Right && !peerExceptions[o.Case] {
				t.Errorf("%s: %s: %v", o.Case, o.Title, o.Did)
			}
			if o.Right && peerExceptions[o.Case] {
				t.Errorf("%s comes out right now: take it from the exceptions", o.Case)
			}
		}
	}
}
