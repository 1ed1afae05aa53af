package oracle_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/oracle"
	"github.com/loopwatch/loopwatch/internal/propgen"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// script reads a story, one event a word: run:kind, where kind is start, end,
// a call in a round of its own (a to h, the argument is its name), turn, same (a
// turn with the same record), halt and resume (of the run), and tick. The part
// of a run's name before - is its parent. A word with + is the same event once more, with < it is late, with > it leaves a gap.
func script(t *testing.T, story string) []oracle.Message {
	t.Helper()
	var seq []events.Event
	last, round, now := map[string]uint64{}, map[string]int{}, propgen.Begin
	for i, word := range strings.Fields(story) {
		run, what, ok := strings.Cut(word, ":")
		if !ok {
			t.Fatalf("word %q", word)
		}
		now = now.Add(time.Second)
		base, mark := strings.TrimRight(what, "+<>"), what[len(strings.TrimRight(what, "+<>")):]
		e := events.Event{V: 1, ID: fmt.Sprint("e", i), Tenant: "default", Agent: "agent", Task: "t", Run: run, Time: now, Stored: now, StreamSeq: uint64(i + 1)}
		e.Seq = last[run] + 1
		switch mark {
		case "<":
			e.Seq = 1
		case ">":
			e.Seq += 2
		}
		last[run] = max(last[run], e.Seq)
		switch base {
		case "start":
			e.Kind, e.Start = events.RunStart, &events.Start{}
		case "end":
			e.Kind, e.End = events.RunEnd, &events.End{Status: events.Done}
		case "turn", "same":
			round[run]++
			e.Kind, e.Round, e.Turn = events.TurnKind, round[run], &events.Turn{}
			if base == "same" {
				e.Turn.StateHash = "x"
			}
		case "halt", "resume":
			e = events.Event{V: 1, ID: e.ID, Kind: events.OperatorAct, Time: now, Stored: now, StreamSeq: e.StreamSeq,
				Operator: &events.Operator{Action: base, Scope: events.Scope{Run: run}}}
		case "tick":
			now = now.Add(25 * time.Hour)
			e = events.Event{V: 1, ID: e.ID, Kind: events.Tick, Time: now, Stored: now, StreamSeq: e.StreamSeq}
		default:
			round[run]++
			e.Kind, e.Round, e.Call = events.ToolCall, round[run], &events.Call{ID: "c", Tool: base, Args: events.RawJSON(`{}`)}
		}
		if parent, _, ok := strings.Cut(run, "-"); ok && !e.Kind.Ours() {
			e.Parent = parent
		}
		if mark == "+" {
			e = seq[len(seq)-1]
			e.StreamSeq = uint64(i + 1)
		}
		seq = append(seq, e)
	}
	return messages(t, seq)
}

// TestJudge: what the published texts say, in small stories.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name, preset, story string
		want                []string
	}{
		{"the second is told, the third ends it", "sundry", "r:a r:b r:a r:a", []string{
			"r e2 repeat inject_observation 1 1", "r e3 repeat escalate 1 2", "r e3 repeat halt 1 2"}},
		{"counted over the whole run", "sundry", "r:a r:b r:c r:d r:e r:a", []string{"r e5 repeat inject_observation 1 1"}},
		{"A-B-A-B is the cycle's", "sundry", "r:a r:b r:a r:b", []string{
			"r e2 repeat inject_observation 1 1", "r e3 cycle inject_observation 2 1"}},
		{"three observations", "sundry", "r:a r:a r:b r:b r:c r:c r:d r:d", []string{
			"r e1 repeat inject_observation 1 1", "r e3 repeat inject_observation 2 1", "r e5 repeat inject_observation 3 1"}},
		{"a record that stands", "sundry", "r:same r:same r:turn r:same r:same r:same", []string{
			"r e3 no_progress inject_observation 1 1", "r e4 no_progress escalate 1 2"}},
		{"the same event again is nothing", "sundry", "r:a r:a+ r:a+", nil},
		{"a late event counts", "sundry", "r:a r:b r:a<", []string{"r e2 repeat inject_observation 1 1"}},
		{"an ended run takes a start only", "sundry", "r:a r:end r:a r:start r:a", []string{"r e4 repeat inject_observation 1 1"}},
		{"who acts past a halt", "sundry", "r:halt r:a r:halt r:a r:turn r:turn", []string{
			"r e2 operator halt 1 1", "r e4 halt_ignored escalate 1 2"}},
		{"a fresh window", "sundry", "r:a r:halt r:resume r:a r:a", []string{
			"r e1 operator halt 1 1", "r e4 repeat inject_observation 2 1"}},
		{"a halted root closes its task", "sundry", "r:start r-x:start r:a r:a r:a q:start r-x:turn", []string{
			"r e3 repeat inject_observation 1 1", "r e4 repeat escalate 1 2", "r e4 repeat halt 1 2", "r-x e4 repeat halt 1 2",
			"q e5 repeat halt 1 2", "r-x e6 halt_ignored escalate 1 3"}},
		{"a halted child: its parent is told", "sundry", "r:start r-x:a r-x:a r-x:a q:start", []string{
			"r-x e2 repeat inject_observation 1 1", "r e3 repeat inject_observation 1 2", "r-x e3 repeat escalate 1 2", "r-x e3 repeat halt 1 2"}},
		{"three of six", "forty-times", "r:a r:b r:a r:c r:a", []string{"r e4 repeat escalate 1 1", "r e4 repeat halt 1 1"}},
		{"five turns of nothing, told when the sixth opens", "forty-times", "r:turn r:turn r:turn r:turn r:turn r:turn", []string{
			"r e5 stagnation escalate 1 1", "r e5 stagnation halt 1 1"}},
		{"the third too late", "forty-times", "r:a r:b r:a r:c", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, d := range oracle.Judge(c.preset, 1, script(t, c.story)).Decisions {
				got = append(got, fmt.Sprint(d.Run, " ", d.Event, " ", d.Detector, " ", d.Kind, " ", d.Incident, " ", d.Rung))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("decisions (-want +got):\n%s", d)
			}
		})
	}
}

// TestBucketsAndStandings: every message ends in one bucket, and they add up.
func TestBucketsAndStandings(t *testing.T) {
	in := script(t, "r:a r:a+ r:b< r:c> r:end r:d q:start r:tick")
	in = append(in, oracle.Message{Seq: 11, Data: []byte("{")})
	v := oracle.Judge("sundry", 1, in)
	if want := (oracle.Buckets{Applied: 5, Duplicate: 1, Late: 1, Rejected: 2, Gap: 2}); v.Buckets[0] != want || want.Total() != 11 {
		t.Errorf("buckets %+v, want %+v", v.Buckets[0], want)
	}
	want := []oracle.Standing{
		{Tenant: "default", Task: "t", Run: "q", Phase: "lost", LastSeq: 1},
		{Tenant: "default", Task: "t", Run: "r", Phase: "ended", Turns: 3, Calls: 3, Duplicates: 1, Late: 1, Gaps: 3, LastSeq: 6},
	}
	if d := cmp.Diff(want, v.Standings); d != "" {
		t.Errorf("standings (-want +got):\n%s", d)
	}
}
