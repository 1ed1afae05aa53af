package timeline_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/internal/timeline"
	"github.com/loopwatch/loopwatch/internal/trace"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// told parses a story.
func told(t *testing.T, src string) []events.Event {
	t.Helper()
	s, err := trace.Parse("story", []byte("-- a story --\n"+src))
	if err != nil {
		t.Fatal(err)
	}
	return s[0].Events
}

func build(told []events.Event, decided []replay.Line) []timeline.Entry {
	return timeline.Build(told, decided, features.New(features.Rules{}))
}

const story = `start  {"model":"m","goal":"find the parcel"}
turn   let me look {"cost_usd":0.01}
call   track {"n":1}
result no scans
call   track { "n" : 1 }
result no scans [replayed]
call   track {"n":2}
error  not found
user   and?
end    failed gave up
`

func TestEqualCallsHaveEqualCodes(t *testing.T) {
	var got []string
	for _, e := range build(told(t, story), nil) {
		got = append(got, e.Code+"|"+e.Text)
	}
	want := []string{
		"|begins with m: find the parcel",
		"|let me look [0.0100 USD]",
		`A|track {"n":1}`, "A|no scans",
		`A|track {"n":1}`, "A|no scans [replayed]",
		`B|track {"n":2}`, "B|error: not found",
		"|user: and?", "|ends as failed: gave up",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestDecisionsStandBesideTheirCause(t *testing.T) {
	e := told(t, story+"ack applied\n")
	e[len(e)-1].Ack.Control = "ctl_1"
	decided := []replay.Line{
		{
			Event: e[4].ID, Detector: "repeat", Kind: actions.Inject, Reason: actions.Acted, Incident: "inc_a", Rung: 1, Control: "ctl_1",
			Summary: "said twice\nand more", Evidence: actions.Proof{Events: []string{e[2].ID, e[4].ID}},
		},
		{Event: e[6].ID, Detector: "repeat", Reason: actions.Cooldown, Incident: "inc_a", Rung: 1, Summary: "again"},
		{Event: e[6].ID, Detector: "budget", Kind: actions.HaltRun, Reason: actions.Acted, Incident: "inc_b", Rung: 1, Control: "ctl_2", Summary: "spent"},
		{Event: "aged-away", Detector: "cycle", Reason: actions.Weak, Incident: "inc_c"},
	}
	got := build(e, decided)
	if d := cmp.Diff([]int{1}, got[2].Evidence); d != "" || len(got[2].Decisions) != 0 {
		t.Errorf("the first call is evidence: %v, %v", got[2].Evidence, got[2].Decisions)
	}
	want := []timeline.Decision{{Number: 1, Incident: "inc_a", Detector: "repeat", Kind: actions.Inject, Reason: actions.Acted, Rung: 1,
		Control: "ctl_1", Outcome: events.Applied, Summary: "said twice\nand more"}}
	if d := cmp.Diff(want, got[4].Decisions); d != "" {
		t.Errorf("the second call (-want +got):\n%s", d)
	}
	if n := len(got[6].Decisions); n != 2 || got[6].Decisions[1].Number != 2 || got[6].Decisions[1].Outcome != "" {
		t.Errorf("the third call: %+v", got[6].Decisions)
	}
	last := got[len(got)-1]
	if last.Event != "aged-away" || len(last.Decisions) != 1 || len(got) != len(e) {
		t.Errorf("what has no event any more comes last: %+v", last)
	}

	var out bytes.Buffer
	if err := timeline.Print(&out, got); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"#1  ", "└ repeat inject_observation, applied: said twice\n", "└ repeat withheld: cooldown: again",
		"└ budget halt, not acknowledged: spent", `→ track {"n":1}`, "← no scans",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the print lacks %q:\n%s", want, out.String())
		}
	}
}

func TestOurEventsAreToldWhereTheyCausedSomething(t *testing.T) {
	act := events.Event{ID: "op-1", Kind: events.OperatorAct, Operator: &events.Operator{Action: "halt", By: "ops", Reason: "wrong customer"}}
	other := events.Event{ID: "op-2", Kind: events.OperatorAct, Operator: &events.Operator{Action: "halt"}}
	got := build(append(told(t, "call track {}\n"), other, act), []replay.Line{{Event: "op-1", Detector: "operator", Kind: actions.HaltRun, Reason: actions.Acted}})
	if len(got) != 2 || got[1].Event != "op-1" || got[1].Text != "operator ops: halt, wrong customer" {
		t.Errorf("told: %+v", got)
	}
}

func TestWhatIsDeliveredTwiceIsDecidedOnce(t *testing.T) {
	e := told(t, "call track {}\nagain\n")
	got := build(e, []replay.Line{{Event: e[0].ID, Detector: "repeat", Reason: actions.Weak}})
	if len(got[0].Decisions) != 1 || len(got[1].Decisions) != 0 {
		t.Errorf("decisions: %+v", got)
	}
}

// A hostile text neither breaks the line nor is it long.
func TestTextsAreOneBoundedLine(t *testing.T) {
	e := told(t, "call track {}\nresult x\n")
	e[0].Call.Tool = strings.Repeat("\x1b[31m\n", 500)
	e[1].Result.Content = events.RawJSON(`"` + strings.Repeat(`a\n\u001b`, 5000) + `"`)
	for _, x := range build(e, nil) {
		if strings.ContainsAny(x.Text, "\n\r\x1b\t") || len(x.Text) > 400 {
			t.Errorf("%d bytes: %.60q", len(x.Text), x.Text)
		}
	}
}

func TestLast(t *testing.T) {
	all := build(told(t, story), nil)
	for _, tt := range []struct {
		n     int
		first string
	}{{0, "begins"}, {1, `track {"n":2}`}, {2, `track {"n":1}`}, {9, "begins"}} {
		if got := timeline.Last(all, tt.n); !strings.HasPrefix(got[0].Text, tt.first) || got[len(got)-1].Text != all[len(all)-1].Text {
			t.Errorf("the last %d begin with %q", tt.n, got[0].Text)
		}
	}
	if timeline.Last(nil, 3) != nil {
		t.Error("nothing has an end")
	}
}

func TestLetters(t *testing.T) {
	for n, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 27: "AB", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA"} {
		if got := timeline.Letters(n); got != want {
			t.Errorf("Letters(%d) = %s, want %s", n, got, want)
		}
	}
}
