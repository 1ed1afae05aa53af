package report_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/internal/report"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// experiment is the policy of the simulated fleet.
const experiment = "name: experiment\nextends: default\nholdout: {share: 0.25}\nobservation: {variant: split}\n"

// limit is where each simulated agent's framework would stop it.
const limit = 30

func costOf(n int) float64 { return 0.003 + 0.0015*float64(n) }

// Turns in which some get out by themselves: right after the first rung, and
// when the second would have been taken.
const (
	soon = 4
	late = 8
)

func tokensOf(n int) int64 { return int64(920 + 500*n) }

// sort is one sort of simulated agent: what it asks and what comes back.
type sort struct {
	name, agent, tool string
	loops             bool
	ask               func(n int) string // arguments of turn n, JSON
	content           string             // JSON; empty where it fails
	fault             string
	quits             bool // gets out by giving up as blocked
	deaf              bool // its loop is one that no detector counts
}

var sorts = []sort{
	{name: "support", agent: "support", tool: "track_parcel", loops: true, content: `"no scans recorded for this tracking number"`,
		ask: func(int) string { return `{"tracking_number":"JD0010"}` }},
	{name: "guesser", agent: "analyst", tool: "get_record", loops: true, fault: "no record has this id",
		ask: func(n int) string { return `{"id":` + strconv.Itoa(88000+n) + `}` }},
	{name: "builder", agent: "coder", tool: "build", loops: true, fault: "Error: exit status 1",
		ask: func(int) string { return `{"target":"all"}` }},
	{name: "refunder", agent: "support", tool: "refund", loops: true, fault: "order 4471 is archived", quits: true,
		ask: func(int) string { return `{"order_id":4471}` }},
	{name: "uploader", agent: "coder", tool: "upload", loops: true, fault: "service temporarily unavailable, please try again", deaf: true,
		ask: func(int) string { return `{"file":"a.tar"}` }},
	{name: "reader", agent: "researcher", tool: "web_search",
		ask: func(n int) string { return fmt.Sprintf(`{"query":"boiler failures %d"}`, 1990+n) }},
}

// fate is the truth about one simulated agent.
type fate struct {
	sort     *sort
	run      string
	task     state.TaskID
	heeds    map[actions.Variant]bool // which wording gets it out
	escapes  int                      // turn in which it gets out by itself; 0 for never
	turns    int
	cost     float64
	told     actions.Variant // first observation's wording
	toldHeld bool            // the first rung was taken in the holdout
	toldAt   int             // turn of the first observation
	fired    bool
	halted   bool
	stopped  events.Status // what the halt said
	status   events.Status
	repeats  int     // calls that brought what was there before
	waste    float64 // cost of those turns
}

// fleet simulates n agents against the real engine and a collector.
type fleet struct {
	t      *testing.T
	replay *replay.Replay
	fates  map[string]*fate
	order  []*fate
	raw    []byte // the trace, a line an event
	now    time.Time
	ids    int
	rnd    *rand.Rand
	feed   func(*events.Event)
	seqs   map[string]uint64
}

func simulate(t *testing.T, n int, c *report.Collector) *fleet {
	t.Helper()
	fallback, err := actions.Preset(actions.DefaultPreset)
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{
		t: t, fates: map[string]*fate{}, rnd: rand.New(rand.NewPCG(7, 7)), seqs: map[string]uint64{},
		now: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), feed: c.Event,
	}
	f.replay, err = replay.New(replay.Options{
		Fallback: fallback, Spool: t.TempDir(),
		Message: func(m *actions.Message) error { f.hear(m); c.Decision(m); return nil },
	}, func(replay.Line) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.replay.Close() })
	p, err := actions.Parse([]byte(experiment))
	if err != nil {
		t.Fatal(err)
	}
	f.send("", events.Event{Kind: events.PolicyChange, Policy: &events.Policy{Name: p.Name, Digest: p.Digest, YAML: p.YAML}})
	for i := range n {
		f.live(f.birth(i))
	}
	if err := f.replay.Finish(); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fleet) birth(i int) *fate {
	s := &sorts[i%len(sorts)]
	x := &fate{sort: s, run: fmt.Sprintf("%s-%03d", s.name, i), heeds: map[actions.Variant]bool{
		actions.VariantA: f.rnd.IntN(10) < 5, actions.VariantB: f.rnd.IntN(10) < 9,
	}}
	x.task = state.TaskID{Tenant: "default", Task: "task-" + x.run}
	switch f.rnd.IntN(10) {
	case 0, 1:
		x.escapes = soon
	case 2:
		x.escapes = late
	}
	f.fates[x.run] = x
	f.order = append(f.order, x)
	return x
}

// hear is what the worker and the fate learn of a decision.
func (f *fleet) hear(m *actions.Message) {
	x := f.fates[m.Run]
	x.fired = x.fired || m.Reason == actions.Acted
	switch {
	case m.Detector == "budget" && m.Kind == actions.Inject: // it goes on: what it found is no budget's business
	case m.Kind == actions.Inject && m.Reason == actions.Acted && x.told == "":
		x.told, x.toldAt = m.Variant, x.turns
	case m.Kind == actions.Inject && m.Reason == actions.HeldOut:
		x.toldHeld, x.toldAt = true, max(x.toldAt, x.turns)
	case m.Kind == actions.HaltRun && m.Reason == actions.Acted:
		x.halted, x.stopped = true, events.Status(*m.EndStatus)
	}
}

// live is one agent's life.
func (f *fleet) live(x *fate) {
	s := x.sort
	f.send(x.run, events.Event{Kind: events.RunStart, Start: &events.Start{Model: "m1", Limits: events.Limits{MaxTurns: limit}}})
	for x.turns < limit && !x.halted {
		x.turns++
		out := x.told != "" && x.heeds[x.told] || x.escapes > 0 && x.turns >= x.escapes
		f.turn(x)
		switch {
		case s.loops && out && s.quits:
			f.end(x, events.Blocked)
			return
		case s.loops && out, !s.loops && x.turns == 9:
			f.call(x, "other_tool", `{}`, `"here is what was needed: `+x.run+`"`, "")
			f.end(x, events.Done)
			return
		case s.loops:
			if x.turns > 1 {
				x.repeats++
				x.waste += costOf(x.turns)
			}
			f.call(x, s.tool, s.ask(x.turns), s.content, s.fault)
		default:
			f.call(x, s.tool, s.ask(x.turns), fmt.Sprintf(`"%d results, the first from %d"`, 3+x.turns, 1990+x.turns), "")
		}
	}
	if x.halted {
		f.end(x, x.stopped)
		return
	}
	f.end(x, events.Failed)
}

func (f *fleet) turn(x *fate) {
	cost, n := costOf(x.turns), x.turns
	x.cost += cost
	f.send(x.run, events.Event{Kind: events.TurnKind, Round: n, Turn: &events.Turn{
		Text: fmt.Sprintf("Step %d.", n), CostUSD: &cost, Usage: &events.Usage{InputTokens: tokensOf(n) - 120, OutputTokens: 120},
	}})
}

func (f *fleet) call(x *fate, tool, args, content, fault string) {
	id := "c" + strconv.Itoa(x.turns)
	f.send(x.run, events.Event{Kind: events.ToolCall, Round: x.turns, Call: &events.Call{ID: id, Tool: tool, Args: events.RawJSON(args)}})
	if x.halted {
		return
	}
	res := events.Result{CallID: id, Tool: tool, Content: events.RawJSON(content)}
	if fault != "" {
		res.Content, res.Error = nil, &events.Error{Message: fault}
	}
	f.send(x.run, events.Event{Kind: events.ToolResult, Round: x.turns, Result: &res})
}

func (f *fleet) end(x *fate, status events.Status) {
	x.status = status
	e := &events.End{Status: status}
	if status == events.Blocked {
		e.Blocked = &events.Blocker{
			Attempted: []string{x.sort.tool}, Blocker: fmt.Sprintf("order %d is archived", 4000+len(f.order)), Needs: "someone who may restore archived orders",
		}
	}
	f.send(x.run, events.Event{Kind: events.RunEnd, End: e})
}

// send stores one event: the collector sees it first, then what is decided on it.
func (f *fleet) send(run string, e events.Event) {
	f.t.Helper()
	f.ids++
	f.now = f.now.Add(4 * time.Second)
	e.V, e.ID, e.Time = 1, fmt.Sprintf("e%06d", f.ids), f.now
	if x := f.fates[run]; x != nil {
		f.seqs[run]++
		e.Tenant, e.Agent, e.Task, e.Run, e.Seq = "default", x.sort.agent, x.task.Task, run, f.seqs[run]
	}
	line, err := events.Encode(e)
	if err != nil {
		f.t.Fatal(err)
	}
	f.raw = append(append(f.raw, line...), '\n')
	read, err := events.Decode(line, events.DefaultLimit)
	if err != nil {
		f.t.Fatal(err)
	}
	f.feed(&read)
	if err := f.replay.Feed(read, line); err != nil {
		f.t.Fatal(err)
	}
}
