package report

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// book feeds a collector by hand.
type book struct {
	t    *testing.T
	c    *Collector
	now  time.Time
	n    int
	seqs map[string]uint64
	last map[string]events.Event // newest event of each run
}

func newBook(t *testing.T, o Options) *book {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return &book{t: t, c: c, now: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), seqs: map[string]uint64{}, last: map[string]events.Event{}}
}

func (b *book) say(run string, e events.Event) {
	b.n++
	b.seqs[run]++
	b.now = b.now.Add(time.Second)
	e.V, e.ID, e.Time, e.Run, e.Task, e.Tenant, e.Agent = 1, fmt.Sprintf("e%d", b.n), b.now, run, "t-"+run, "default", "support"
	e.Seq = b.seqs[run]
	b.last[run] = e
	b.c.Event(&e)
}

func (b *book) start(run string, l events.Limits) {
	b.say(run, events.Event{Kind: events.RunStart, Start: &events.Start{Limits: l}})
}

// round is a turn at a cost with a call and its answer; content empty for a
// failure.
func (b *book) round(run string, n int, cost float64, args, content, fault string) {
	b.say(run, events.Event{Kind: events.TurnKind, Round: n, Turn: &events.Turn{CostUSD: &cost}})
	b.say(run, events.Event{Kind: events.ToolCall, Round: n, Call: &events.Call{ID: "c", Tool: "grep", Args: events.RawJSON(args)}})
	res := &events.Result{CallID: "c", Tool: "grep", Content: events.RawJSON(content)}
	if fault != "" {
		res.Content, res.Error = nil, &events.Error{Message: fault}
	}
	b.say(run, events.Event{Kind: events.ToolResult, Round: n, Result: res})
}

// rounds repeats one call to the end of a range.
func (b *book) rounds(run string, from, to int) {
	for n := from; n <= to; n++ {
		b.round(run, n, 0.1, `{"q":"x"}`, `"no matches here"`, "")
	}
}

func (b *book) end(run string, s events.Status) {
	b.say(run, events.Event{Kind: events.RunEnd, End: &events.End{Status: s}})
}

// decide logs a decision on the newest event of a run.
func (b *book) decide(run, detector string, rung int, k actions.Kind, why actions.Reason) {
	e := b.last[run]
	m := actions.Message{Control: actions.Control{
		Tenant: "default", Agent: "support", Task: e.Task, Run: run, Detector: detector, Rung: rung, Kind: k, Reason: why,
		Evidence: actions.Proof{Count: 3}, Cause: actions.Cause{Event: e.ID},
	}}
	b.c.Decision(&m)
}

func TestWhatIsARepeat(t *testing.T) {
	yes, replayed := true, func(b *book) {
		b.say("r", events.Event{Kind: events.ToolCall, Round: 9, Call: &events.Call{ID: "c", Tool: "grep", Args: events.RawJSON(`{"q":"x"}`)}})
		b.say("r", events.Event{Kind: events.ToolResult, Round: 9, Result: &events.Result{CallID: "c", Tool: "grep", Content: events.RawJSON(`"a b c"`), Replayed: true}})
	}
	for _, tt := range []struct {
		name  string
		tell  func(*book)
		want  int
		turns float64
	}{
		{"the same answer again", func(b *book) { b.rounds("r", 1, 3) }, 2, 2},
		{"another answer", func(b *book) {
			b.round("r", 1, 0, `{"q":"x"}`, `"first of ten lines"`, "")
			b.round("r", 2, 0, `{"q":"x"}`, `"second of ten lines"`, "")
		}, 0, 0},
		{"an error of the same kind, other arguments", func(b *book) {
			b.round("r", 1, 0, `{"id":17}`, "", "no record 17 in orders")
			b.round("r", 2, 0, `{"id":18}`, "", "no record 18 in orders")
		}, 1, 1},
		{"another error", func(b *book) {
			b.round("r", 1, 0, `{"id":17}`, "", "no record in orders")
			b.round("r", 2, 0, `{"id":18}`, "", "permission denied for bob")
		}, 0, 0},
		{"the infrastructure, twice in a row", func(b *book) {
			b.round("r", 1, 0, `{"id":17}`, "", "503 service unavailable")
			b.round("r", 2, 0, `{"id":18}`, "", "503 service unavailable")
		}, 1, 1},
		{"the infrastructure, with an answer in between", func(b *book) {
			b.round("r", 1, 0, `{"id":17}`, "", "503 service unavailable")
			b.round("r", 2, 0, `{"id":18}`, `"a line that was not seen"`, "")
			b.round("r", 3, 0, `{"id":19}`, "", "503 service unavailable")
		}, 0, 0},
		{"a write in between", func(b *book) {
			b.round("r", 1, 0, `{"q":"x"}`, `"one failing test of many"`, "")
			b.say("r", events.Event{Kind: events.ToolCall, Round: 2, Call: &events.Call{ID: "c", Tool: "edit", Args: events.RawJSON(`{"p":1}`)}})
			b.say("r", events.Event{Kind: events.ToolResult, Round: 2, Result: &events.Result{CallID: "c", Tool: "edit", Changed: &yes}})
			b.round("r", 3, 0, `{"q":"x"}`, `"one failing test of many"`, "")
		}, 0, 0},
		{"a replayed answer", func(b *book) { b.round("r", 1, 0, `{"q":"x"}`, `"a b c"`, ""); replayed(b) }, 1, 1},
		{"something new beside it", func(b *book) {
			b.round("r", 1, 0, `{"q":"x"}`, `"no matches here"`, "")
			b.round("r", 2, 0, `{"q":"x"}`, `"no matches here"`, "")
			b.say("r", events.Event{Kind: events.ToolCall, Round: 2, Call: &events.Call{ID: "d", Tool: "read", Args: events.RawJSON(`{"p":1}`)}})
			b.say("r", events.Event{Kind: events.ToolResult, Round: 2, Result: &events.Result{CallID: "d", Tool: "read", Content: events.RawJSON(`"a page of text"`)}})
		}, 1, 0},
		{"the same negative answer to other arguments", func(b *book) {
			b.round("r", 1, 0, `{"q":"x"}`, `"no matches"`, "")
			b.round("r", 2, 0, `{"q":"y"}`, `"no matches"`, "")
		}, 1, 1},
		{"a tool that is there to be polled", func(b *book) {
			b.say("r", events.Event{Kind: events.RunStart, Start: &events.Start{Tools: []events.Tool{{Name: "grep", Polls: true}}}})
			b.rounds("r", 1, 3)
		}, 0, 0},
		{"two repeats in one turn", func(b *book) {
			for n := 1; n <= 2; n++ {
				b.rounds("r", n, n)
				b.say("r", events.Event{Kind: events.ToolCall, Round: n, Call: &events.Call{ID: "d", Tool: "read"}})
				b.say("r", events.Event{Kind: events.ToolResult, Round: n, Result: &events.Result{CallID: "d", Tool: "read", Content: events.RawJSON(`"a page of text"`)}})
			}
		}, 1, 0.5},
		{"what we said ourselves", func(b *book) {
			b.rounds("r", 1, 1)
			for _, e := range []events.Event{
				{Kind: events.ToolCall, Round: 2, Call: &events.Call{ID: "c", Tool: "grep", Args: events.RawJSON(`{"q":"x"}`)}},
				{Kind: events.ToolResult, Round: 2, Result: &events.Result{CallID: "c", Tool: "grep", Content: events.RawJSON(`"no matches here"`)}},
			} {
				e.Origin = events.FromLoopwatch
				b.say("r", e)
			}
		}, 0, 0},
		{"delivered twice", func(b *book) {
			b.rounds("r", 1, 2)
			again := b.last["r"]
			b.c.Event(&again)
		}, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBook(t, Options{})
			tt.tell(b)
			b.end("r", events.Done)
			for _, tool := range b.c.Finish().Tools.Tools {
				if tool.Tool == "grep" && (tool.Repeats != tt.want || tool.Turns != tt.turns) {
					t.Errorf("%d repeat events in %v wasted turns, want %d in %v", tool.Repeats, tool.Turns, tt.want, tt.turns)
				}
			}
		})
	}
}

func TestHowInterventionsAreJudged(t *testing.T) {
	inject := func(b *book, why actions.Reason) { b.decide("r", "repeat", 1, actions.Inject, why) }
	fresh := func(b *book, from, to int) {
		for n := from; n <= to; n++ {
			b.round("r", n, 0.1, fmt.Sprintf(`{"n":%d}`, n), fmt.Sprintf(`"page %d of the long report %c"`, n, 'a'+n), "")
		}
	}
	for _, tt := range []struct {
		name string
		tell func(*book)
		want Rate
	}{
		{"ends well at once", func(b *book) { inject(b, actions.Acted); b.end("r", events.Done) }, Rate{Runs: 1, Ended: 1}},
		{"gives up properly", func(b *book) { inject(b, actions.Acted); b.end("r", events.Blocked) }, Rate{Runs: 1, Ended: 1}},
		{"fails", func(b *book) { inject(b, actions.Acted); b.end("r", events.Failed) }, Rate{Runs: 1}},
		{"goes on to other things", func(b *book) { inject(b, actions.Acted); fresh(b, 4, 8) }, Rate{Runs: 1, Ended: 1}},
		{"goes on as before", func(b *book) { inject(b, actions.Acted); b.rounds("r", 4, 8) }, Rate{Runs: 1}},
		{"too early to tell", func(b *book) { inject(b, actions.Acted); fresh(b, 4, 6) }, Rate{Open: 1}},
		{"the next rung", func(b *book) {
			inject(b, actions.Acted)
			b.rounds("r", 4, 4)
			b.decide("r", "repeat", 2, actions.Inject, actions.Acted)
			b.end("r", events.Done)
		}, Rate{Runs: 1}},
		{"the next rung, and then other things", func(b *book) {
			inject(b, actions.Acted)
			b.rounds("r", 4, 4)
			b.decide("r", "repeat", 2, actions.Inject, actions.Acted)
			fresh(b, 5, 9)
		}, Rate{Runs: 1}},
		{"an operator's halt", func(b *book) {
			inject(b, actions.Acted)
			b.decide("r", "operator", 1, actions.HaltRun, actions.Acted)
			b.end("r", events.Halted)
		}, Rate{Open: 1}},
		{"told twice", func(b *book) { inject(b, actions.Acted); inject(b, actions.Acted); b.end("r", events.Done) }, Rate{Runs: 1}},
		{"only logged in shadow", func(b *book) { inject(b, actions.Shadow); b.end("r", events.Done) }, Rate{}},
		{"silent for a day", func(b *book) {
			inject(b, actions.Acted)
			b.now = b.now.Add(48 * time.Hour)
			b.start("another", events.Limits{})
		}, Rate{Open: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBook(t, Options{Within: 4})
			b.rounds("r", 1, 3)
			tt.tell(b)
			var got Rate
			for _, row := range b.c.Finish().Interventions.Rows {
				if row.Detector == "repeat" && row.Rung == 1 {
					got = Rate{Runs: row.Acted.Runs, Ended: row.Acted.Ended, Open: row.Acted.Open}
				}
			}
			if got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

// What is known is counted, what is not is left out and said.
func TestSavings(t *testing.T) {
	halted := func(b *book, detector string) {
		b.decide("r", detector, 2, actions.HaltRun, actions.Acted)
		b.end("r", events.Stuck)
	}
	for _, tt := range []struct {
		name  string
		limit events.Limits
		tell  func(*book)
		turns float64
		usd   float64
		out   string
	}{
		{"halted", events.Limits{MaxTurns: 10}, func(b *book) { halted(b, "repeat") }, 7, 0.7, ""},
		{"up to the money", events.Limits{MaxTurns: 10, MaxCostUSD: 0.5}, func(b *book) { halted(b, "repeat") }, 2, 0.2, ""},
		{"money alone", events.Limits{MaxCostUSD: 0.5}, func(b *book) { halted(b, "repeat") }, 2, 0.2, ""},
		{"told, and well again", events.Limits{MaxTurns: 10}, func(b *book) {
			b.decide("r", "repeat", 1, actions.Inject, actions.Acted)
			b.end("r", events.Done)
		}, 7, 0.7, ""},
		{"no limit", events.Limits{}, func(b *book) { halted(b, "repeat") }, 0, 0, outNoLimit},
		{"beyond its limit", events.Limits{MaxTurns: 3}, func(b *book) { halted(b, "repeat") }, 0, 0, outNothing},
		{"a budget", events.Limits{MaxTurns: 10}, func(b *book) { halted(b, "budget") }, 0, 0, outBudget},
		{"an operator", events.Limits{MaxTurns: 10}, func(b *book) { halted(b, "operator") }, 0, 0, outPeople},
		{"told, and failed", events.Limits{MaxTurns: 10}, func(b *book) {
			b.decide("r", "repeat", 1, actions.Inject, actions.Acted)
			b.end("r", events.Failed)
		}, 0, 0, outWentOn},
		{"still under way", events.Limits{MaxTurns: 10}, func(b *book) { b.decide("r", "repeat", 1, actions.Inject, actions.Acted) }, 0, 0, outLive},
		{"another run's halt", events.Limits{MaxTurns: 10}, func(b *book) {
			own := b.last["r"]
			b.last["r"] = events.Event{ID: "elsewhere", Task: own.Task}
			halted(b, "repeat")
		}, 0, 0, outCarried},
		{"falling costs", events.Limits{MaxTurns: 10}, func(b *book) {
			b.round("r", 4, 0, `{"q":"x"}`, `"no matches here"`, "")
			halted(b, "repeat")
		}, 6, 6 * 0.075, ""},
		{"nothing was done", events.Limits{MaxTurns: 10}, func(b *book) { b.end("r", events.Done) }, 0, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBook(t, Options{})
			b.start("r", tt.limit)
			b.rounds("r", 1, 3)
			tt.tell(b)
			got := b.c.Finish().Savings
			out := map[string]int{}
			if tt.out != "" {
				out[tt.out] = 1
			}
			if diff := cmp.Diff(out, got.LeftOut); diff != "" || got.Total.Turns != tt.turns || math.Abs(got.Total.USD-tt.usd) > 1e-9 {
				t.Errorf("%+v, want %v turns and %v USD; left out (-want +got):\n%s", got.Total, tt.turns, tt.usd, diff)
			}
		})
	}
}

// A run that was halted when it began neither fired nor saved anything.
func TestARunThatIsHaltedWhenItBegins(t *testing.T) {
	b := newBook(t, Options{})
	b.start("r", events.Limits{MaxTurns: 10})
	e := b.last["r"]
	b.c.Decision(&actions.Message{Control: actions.Control{
		Tenant: "default", Agent: "support", Task: e.Task, Run: "r", Detector: "repeat", Rung: 2, Kind: actions.HaltRun,
		Reason: actions.Acted, Cause: actions.Cause{Event: e.ID},
	}})
	b.end("r", events.Stuck)
	got := b.c.Finish()
	if got.Rates.Overall.Fired != 0 || got.Savings.LeftOut[outCarried] != 1 || len(got.Interventions.Rows) != 0 {
		t.Errorf("%+v, left out %v, %d interventions", got.Rates.Overall, got.Savings.LeftOut, len(got.Interventions.Rows))
	}
}

func TestTheTimeOfAReport(t *testing.T) {
	at := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name         string
		since, until time.Time
		runs         int
	}{
		{"always", time.Time{}, time.Time{}, 3},
		{"from the second hour", at.Add(time.Hour), time.Time{}, 2},
		{"the first hour", time.Time{}, at.Add(time.Hour), 1},
		{"a time without runs", at.Add(20 * time.Minute), at.Add(30 * time.Minute), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBook(t, Options{Since: tt.since, Until: tt.until})
			for i, run := range []string{"a", "b", "a"} { // a is opened again
				b.now = at.Add(time.Duration(i) * time.Hour)
				b.start(run, events.Limits{})
				b.rounds(run, 1, 1)
				b.end(run, events.Done)
				b.rounds(run, 2, 3) // what a run says after its end is not counted
			}
			got := b.c.Finish()
			if got.Counted.Runs != tt.runs || got.Rates.Overall.Closed != tt.runs {
				t.Errorf("%d runs, %d closed, want %d", got.Counted.Runs, got.Rates.Overall.Closed, tt.runs)
			}
			for _, tool := range got.Tools.Tools {
				if tool.Calls != tt.runs || tool.Repeats != 0 {
					t.Errorf("%+v, want %d calls", tool, tt.runs)
				}
			}
		})
	}
}

// However much a run does and however many things there are, what is told
// apart is bounded.
func TestMemoryIsBounded(t *testing.T) {
	b := newBook(t, Options{})
	for i := range 3000 {
		tool := fmt.Sprintf("tool-%d", i)
		for n := range 2 {
			r := 2*i + n + 1
			b.say("r", events.Event{Kind: events.ToolCall, Round: r, Call: &events.Call{ID: "c", Tool: tool}})
			b.say("r", events.Event{Kind: events.ToolResult, Round: r, Result: &events.Result{CallID: "c", Tool: tool, Content: events.RawJSON(fmt.Sprintf(`"said %s"`, tool))}})
		}
	}
	for _, r := range b.c.runs {
		if len(r.tools) > maxTools || len(r.classes) > maxClasses || len(r.weather) > maxTools || len(r.attempts) > maxAttempts {
			t.Errorf("one run holds %d tools, %d classes", len(r.tools), len(r.classes))
		}
	}
	for i := range 1500 {
		run := fmt.Sprintf("x%d", i)
		b.say(run, events.Event{Kind: events.ToolCall, Round: 1, Call: &events.Call{ID: "c", Tool: fmt.Sprintf("other-%d", i)}})
		b.say(run, events.Event{Kind: events.RunEnd, End: &events.End{Status: events.Blocked, Blocked: &events.Blocker{
			Blocker: fmt.Sprintf("kind %c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676), Attempted: []string{"x", "x"},
		}}})
	}
	got := b.c.Finish()
	if len(got.Tools.Tools) > mostTools+1 || len(got.Blocked.Groups) > mostGroups+1 || got.Blocked.Runs != 1500 {
		t.Errorf("%d tools, %d groups of %d runs", len(got.Tools.Tools), len(got.Blocked.Groups), got.Blocked.Runs)
	}
}

// Too few prices make no line: the turns count, the money does not, and it is
// said.
func TestARunWithoutPrices(t *testing.T) {
	b := newBook(t, Options{})
	b.start("r", events.Limits{MaxTurns: 10})
	b.rounds("r", 1, 2)
	for n := 3; n <= 5; n++ {
		b.say("r", events.Event{Kind: events.TurnKind, Round: n, Turn: &events.Turn{}})
	}
	price := 99.0
	b.say("r", events.Event{Kind: events.TurnKind, Round: 2, Turn: &events.Turn{CostUSD: &price}}) // late: its turn is booked
	b.decide("r", "repeat", 2, actions.HaltRun, actions.Acted)
	b.end("r", events.Stuck)
	if got := b.c.Finish().Savings.Total; got.Runs != 1 || got.Turns != 5 || got.USD != 0 || got.Unpriced != 1 || got.Untold != 1 {
		t.Errorf("%+v, want five turns without a price", got)
	}
}

// A run counts as fired once, under the detector that acted first, when that
// was; a holdout of one detector is none where another one spoke.
func TestFiringAndTheHoldout(t *testing.T) {
	b := newBook(t, Options{})
	b.rounds("r", 1, 3)
	b.decide("r", "stale", 1, actions.Inject, actions.HeldOut)
	b.decide("r", "repeat", 1, actions.Inject, actions.Acted)
	b.decide("r", "cycle", 1, actions.Inject, actions.Acted)
	b.end("r", events.Done)
	b.rounds("left", 1, 3)
	b.decide("left", "repeat", 1, actions.Inject, actions.HeldOut)
	b.end("left", events.Failed)
	got := b.c.Finish()
	if diff := cmp.Diff(map[string]int{"repeat": 1}, got.Rates.Agents[0].Detectors); diff != "" || got.Rates.Overall.Fired != 1 {
		t.Errorf("fired (-want +got):\n%s", diff)
	}
	if got.Savings.Holdout != (Own{Runs: 1}) {
		t.Errorf("holdout %+v, want the one run that was left alone", got.Savings.Holdout)
	}
}

// Fired and closed are counted where they happened.
func TestRatesAreCountedWhereTheyHappened(t *testing.T) {
	b := newBook(t, Options{Since: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)})
	b.rounds("r", 1, 3)
	b.decide("r", "repeat", 1, actions.Inject, actions.Acted)
	b.now = b.now.Add(2 * time.Hour)
	b.end("r", events.Done)
	if got := b.c.Finish().Rates.Overall; got.Fired != 0 || got.Closed != 1 {
		t.Errorf("%+v: it fired before the report's time and closed in it", got)
	}
}

// A run that speaks again after a day was lost, and is another one; a start
// that is delivered again after the end opens nothing.
func TestRunsThatComeBack(t *testing.T) {
	b := newBook(t, Options{})
	b.start("r", events.Limits{})
	b.rounds("r", 1, 1)
	b.now = b.now.Add(25 * time.Hour)
	b.rounds("r", 1, 1)
	b.end("r", events.Done)
	b.start("q", events.Limits{})
	first := b.last["q"]
	b.end("q", events.Done)
	b.c.Event(&first)
	got := b.c.Finish()
	if got.Counted.Runs != 3 || got.Counted.Live != 0 || got.Tools.Tools[0].Repeats != 0 {
		t.Errorf("%+v, %d repeat events; want three runs, none live", got.Counted, got.Tools.Tools[0].Repeats)
	}
}

func TestOnlyWhatIsAskedFor(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
		runs int
	}{
		{"everything", Options{}, 1}, {"its tenant and agent", Options{Tenant: "default", Agent: "support"}, 1},
		{"another tenant", Options{Tenant: "other"}, 0}, {"another agent", Options{Agent: "coder"}, 0},
	} {
		b := newBook(t, tt.o)
		b.rounds("r", 1, 3)
		b.decide("r", "repeat", 1, actions.Inject, actions.Acted)
		if got := b.c.Finish(); got.Counted.Runs != tt.runs || len(got.Interventions.Rows) != tt.runs {
			t.Errorf("%s: %d runs, %d interventions, want %d", tt.name, got.Counted.Runs, len(got.Interventions.Rows), tt.runs)
		}
	}
}

// What was tried counts once a run, however often it is named.
func TestBlockedGroups(t *testing.T) {
	b := newBook(t, Options{})
	for i, need := range []string{"a key", "A key!", "a ladder"} {
		run := fmt.Sprintf("r%d", i)
		b.say(run, events.Event{Kind: events.RunEnd, End: &events.End{Status: events.Blocked, Blocked: &events.Blocker{
			Attempted: []string{"knock", "knock"}, Blocker: fmt.Sprintf("door %d is shut", i), Needs: need,
		}}})
	}
	got := b.c.Finish().Blocked
	if got.Runs != 3 || len(got.Groups) != 2 || got.Groups[0].Runs != 2 || got.Groups[0].Attempted["knock"] != 2 || got.Groups[0].Example.Run != "r0" {
		t.Errorf("%+v", got)
	}
}

// A constraint that some arguments meet is none that cannot be met.
func TestAToolThatHealsIsNoConstraint(t *testing.T) {
	for _, tt := range []struct {
		name  string
		heals bool
		want  string
	}{{"nothing else came of it", false, hintConstraint}, {"the last arguments met it", true, ""}} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBook(t, Options{})
			for n := 1; n <= 3; n++ {
				b.round("r", n, 0.1, fmt.Sprintf(`{"id":%d}`, n), "", "the carrier wants a parcel of this year")
			}
			if tt.heals {
				b.round("r", 4, 0.1, `{"id":4}`, `"parcel 4 is on its way"`, "")
			}
			b.end("r", events.Done)
			if got := b.c.Finish().Tools.Tools[0].Answers; len(got) != 1 || got[0].Hint != tt.want {
				t.Errorf("%+v, want hint %q", got, tt.want)
			}
		})
	}
}
