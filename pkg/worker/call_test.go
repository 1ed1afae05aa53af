package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// answerWith is a tool that brings a value, and counts its executions.
func answerWith(v any, failed error, executed *int) func(context.Context) (any, error) {
	return func(context.Context) (any, error) { *executed++; return v, failed }
}

// do runs a tool whole while the test answers its check.
func (b *bus) do(r *worker.Run, v actions.Verdict, tool string, args any, fn func(context.Context) (any, error), opts ...worker.Option) (worker.Output, error) {
	b.t.Helper()
	type done struct {
		out worker.Output
		err error
	}
	c := make(chan done, 1)
	go func() {
		out, err := r.Do(testContext(b.t), tool, args, fn, opts...)
		c <- done{out, err}
	}()
	b.answer(b.want(events.ToolCall), v)
	d := receive(b.t, c)
	return d.out, d.err
}

// replayOf is the verdict that hands back the result of an earlier call.
func replayOf(call, content string) actions.Verdict {
	return actions.Verdict{Decision: actions.ReplayCall, Replay: &actions.Answer{
		OfCallID: call, Content: []byte(content), Label: "cached result of call " + call + ", 9 s old; not executed again",
	}}
}

// Do asks, executes and reports; a replay comes whole from our own cache and
// is reported as replayed.
func TestDo(t *testing.T) {
	b := newBus(t)
	r := b.run(b.config())
	executed := 0
	out, err := b.do(r, allow, "track_parcel", map[string]any{"id": 7}, answerWith("no scans", nil, &executed), worker.Changed(false))
	if err != nil || out.Text() != "no scans" || out.Label != "" || executed != 1 {
		t.Fatalf("Do: %+v, %v, executed %d times", out, err, executed)
	}
	res := b.want(events.ToolResult)
	if res.Result.CallID != "c1" || res.Result.Tool != "track_parcel" || string(res.Result.Content) != `"no scans"` || res.Result.Replayed || *res.Result.Changed || res.Round != 1 {
		t.Errorf("reported %+v in round %d", res.Result, res.Round)
	}
	out, err = b.do(r, replayOf("c1", `"what the processor has"`), "track_parcel", map[string]any{"id": 7}, answerWith("again", nil, &executed))
	if err != nil || executed != 1 {
		t.Fatalf("Do: %v, executed %d times", err, executed)
	}
	if string(out.Content) != `"no scans"` || !strings.HasPrefix(out.Label, "cached result of call c1") || !strings.HasSuffix(out.Text(), "]\nno scans") {
		t.Errorf("replayed %q", out.Text())
	}
	res = b.want(events.ToolResult)
	if !res.Result.Replayed || res.Result.CallID != "c2" || string(res.Result.Content) != `"no scans"` || res.Round != 2 {
		t.Errorf("reported %+v in round %d", res.Result, res.Round)
	}
}

// What an earlier process executed is not in our cache: the verdict's copy is
// handed back.
func TestReplayFromTheVerdict(t *testing.T) {
	b := newBus(t)
	last := uint64(17)
	r, err := b.hello(b.config(), actions.Verdict{LastSeq: &last})
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.call(r, "track_parcel", nil, replayOf("c1", `{"scans":[]}`))
	if err != nil || string(c.Replay.Content) != `{"scans":[]}` || c.ID != "c18" {
		t.Errorf("Call: %+v, %v", c, err)
	}
	if s := b.want(events.ToolResult); s.Seq != 19 || s.Round != 18 {
		t.Errorf("seq %d, round %d after 17 events of an earlier process", s.Seq, s.Round)
	}
}

// The first failure is what a replay of a failed call hands back.
func TestReplayOfFailure(t *testing.T) {
	b := newBus(t)
	r := b.run(b.config())
	executed, notFound := 0, errors.New("parcel not found")
	out, err := b.do(r, allow, "track_parcel", nil, answerWith(nil, notFound, &executed), worker.Code("404"), worker.Retryable())
	if err != nil || !errors.Is(out.Err, notFound) || out.Text() != "error: parcel not found" {
		t.Fatalf("Do: %+v, %v", out, err)
	}
	if x := b.want(events.ToolResult).Result.Error; x.Message != "parcel not found" || x.Code != "404" || !x.Retryable {
		t.Errorf("reported %+v", x)
	}
	out, err = b.do(r, replayOf("c1", `"parcel not found"`), "track_parcel", nil, answerWith(nil, nil, &executed))
	if err != nil || !errors.Is(out.Err, notFound) || executed != 1 {
		t.Errorf("replayed %+v, %v, executed %d times", out, err, executed)
	}
	if res := b.want(events.ToolResult).Result; !res.Replayed || res.Error == nil {
		t.Errorf("reported %+v", res)
	}
}

// Where the processor has no whole copy it allows the call and says which
// result stands for it: ours is whole.
func TestReplayOfCutContent(t *testing.T) {
	b := newBus(t)
	cfg := b.config()
	cfg.MaxContent = 1000
	r := b.run(cfg)
	executed, whole := 0, strings.Repeat("no scans; ", 1000)
	if _, err := b.do(r, allow, "track_parcel", nil, answerWith(whole, nil, &executed)); err != nil {
		t.Fatal(err)
	}
	if res := b.want(events.ToolResult).Result; !res.Truncated || len(res.ContentSHA) != 64 || len(res.Content) > 1100 {
		t.Errorf("reported %d bytes, truncated %v, sha %q", len(res.Content), res.Truncated, res.ContentSHA)
	}
	wait := asking(t, r, "track_parcel", nil)
	s := b.want(events.ToolCall)
	c := aControl("ctl_1", actions.Inject)
	c.Replay, c.Event = &actions.Replayed{CallID: "c2", OfCallID: "c1"}, s.ID
	b.answer(s, actions.Verdict{Decision: actions.Allow, Controls: []actions.Control{c}})
	call, err := wait()
	if err != nil || call.Replay == nil || call.Replay.Text() != "["+call.Replay.Label+"]\n"+whole {
		t.Errorf("Call: %v, %v; want our own copy", call, err)
	}
	wait = asking(t, r, "track_parcel", nil)
	b.want(events.ToolResult)
	b.answer(b.want(events.ToolCall), actions.Verdict{Decision: actions.Allow, Controls: []actions.Control{c}})
	if call, err := wait(); err != nil || call.Replay != nil {
		t.Errorf("Call: %v, %v; the control was about another call", call, err)
	}
}

// Rounds: a turn opens one; without, a call after a result does. Calls issued
// together share theirs.
func TestRounds(t *testing.T) {
	b := newBus(t)
	r := b.run(b.config())
	first, err := b.call(r, "a", nil, allow)
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.call(r, "b", nil, allow)
	if err != nil {
		t.Fatal(err)
	}
	report := func(c *worker.Call, round int) {
		t.Helper()
		if err := r.Result(c, "done", nil); err != nil {
			t.Fatal(err)
		}
		if s := b.want(events.ToolResult); s.Round != round || s.Result.CallID != c.ID {
			t.Errorf("result of %s in round %d, want %d", s.Result.CallID, s.Round, round)
		}
	}
	report(first, 1)
	third, err := b.call(r, "c", nil, allow)
	if err != nil {
		t.Fatal(err)
	}
	report(second, 1) // late for its own round
	if c, err := b.call(r, "c", nil, allow); err != nil || c.Round != 2 {
		t.Errorf("a late result opened a round: %+v, %v", c, err)
	}
	if err := r.Turn(events.Turn{Text: "next"}); err != nil {
		t.Fatal(err)
	}
	turn := b.want(events.TurnKind)
	fourth, err := b.call(r, "d", nil, allow)
	if err != nil {
		t.Fatal(err)
	}
	report(third, 2)
	if first.Round != 1 || second.Round != 1 || third.Round != 2 || turn.Round != 3 || fourth.Round != 3 {
		t.Errorf("rounds %d %d %d %d %d, want 1 1 2 3 3", first.Round, second.Round, third.Round, turn.Round, fourth.Round)
	}
	if first.ID != "c1" || second.ID != "c2" || third.ID != "c3" || fourth.ID != "c5" {
		t.Errorf("calls are named %s %s %s %s", first.ID, second.ID, third.ID, fourth.ID)
	}
}

// Arguments as models and programs give them.
func TestArguments(t *testing.T) {
	b := newBus(t)
	r := b.run(b.config())
	for name, tc := range map[string]struct {
		args      any
		want, raw string
	}{
		"nothing":                  {nil, ``, ""},
		"a struct":                 {struct{ ID int }{7}, `{"ID":7}`, ""},
		"a map, in order":          {map[string]any{"b": 1, "a": 2}, `{"a":2,"b":1}`, ""},
		"a string of JSON":         {`{ "id": 7 }`, `{"id":7}`, ""},
		"bytes of JSON":            {[]byte(`{"id":7}`), `{"id":7}`, ""},
		"a raw message":            {json.RawMessage(`{"id":7}`), `{"id":7}`, ""},
		"a model's broken JSON":    {`{"id":7`, "", `{"id":7`},
		"the same name twice":      {`{"id":7,"id":8}`, "", `{"id":7,"id":8}`},
		"no UTF-8":                 {map[string]string{"q": "a\xffb"}, "{\"q\":\"a\uFFFDb\"}", ""},
		"broken JSON and no UTF-8": {"{\xff", "", "{\uFFFD"},
		"an empty string":          {" ", ``, ""},
	} {
		t.Run(name, func(t *testing.T) {
			wait := asking(t, r, "tool", tc.args)
			s := b.want(events.ToolCall)
			b.answer(s, allow)
			if _, err := wait(); err != nil {
				t.Fatal(err)
			}
			if string(s.Call.Args) != tc.want || s.Call.RawArgs != tc.raw {
				t.Errorf("reported %q and %q", s.Call.Args, s.Call.RawArgs)
			}
		})
	}
	before := b.nextSeq(r)
	if _, err := r.Call(t.Context(), "tool", func() {}); err == nil || !strings.Contains(err.Error(), "arguments") {
		t.Errorf("Call with a function as arguments: %v", err)
	}
	if _, err := r.Call(t.Context(), "", nil); err == nil {
		t.Error("Call of a tool without a name: no error")
	}
	b.silent()
	if again := b.nextSeq(r); again != before+1 {
		t.Errorf("a refused call left a gap: %d, then %d", before, again)
	}
}

// nextSeq says something and returns its seq.
func (b *bus) nextSeq(r *worker.Run) uint64 {
	b.t.Helper()
	if err := r.Message("assistant", "", "hello"); err != nil {
		b.t.Fatal(err)
	}
	return b.want(events.Said).Seq
}

// A caller that gives up gets its own error.
func TestCallCancelled(t *testing.T) {
	b := newBus(t)
	r := b.run(b.config())
	stop, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Call(stop, "tool", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Call: %v", err)
	}
	b.silent()
	stop, cancel = context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := r.Call(stop, "tool", nil); done <- err }()
	s := b.want(events.ToolCall)
	cancel()
	if err := receive(t, done); !errors.Is(err, context.Canceled) {
		t.Errorf("Call: %v", err)
	}
	halt := aControl("ctl_1", actions.HaltRun)
	b.answer(s, actions.Verdict{Decision: actions.RefuseCall, Controls: []actions.Control{halt}})
	receive(t, r.Done()) // an answer that nobody waits for is obeyed all the same
}

// What a tool brings, as programs give it.
func TestResultContent(t *testing.T) {
	b := newBus(t)
	r := b.run(b.config())
	for name, tc := range map[string]struct {
		brought any
		want    string
	}{
		"nothing":         {nil, ""},
		"text":            {`{"not":"parsed"}`, `"{\"not\":\"parsed\"}"`},
		"bytes of JSON":   {[]byte(`{ "a": 1 }`), `{"a":1}`},
		"bytes of text":   {[]byte("plain"), `"plain"`},
		"a value":         {map[string]int{"n": 1}, `{"n":1}`},
		"text, not UTF-8": {"a\xff", "\"a\uFFFD\""},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := b.call(r, "tool", nil, allow)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Result(c, tc.brought, nil); err != nil {
				t.Fatal(err)
			}
			if got := string(b.want(events.ToolResult).Result.Content); got != tc.want {
				t.Errorf("reported %q, want %q", got, tc.want)
			}
		})
	}
	c, err := b.call(r, "tool", nil, allow)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Result(c, make(chan int), nil); err == nil {
		t.Error("Result of a channel: no error")
	}
	b.silent()
}

// The clock of a worker measures how long a tool took.
func TestDuration(t *testing.T) {
	b := newBus(t)
	cfg := b.config()
	clock := newClock(time.Now())
	cfg.Now = clock.now
	r := b.run(cfg)
	c, err := b.call(r, "tool", nil, allow)
	if err != nil {
		t.Fatal(err)
	}
	clock.add(1500 * time.Millisecond)
	if err := r.Result(c, "x", nil); err != nil {
		t.Fatal(err)
	}
	if ms := b.want(events.ToolResult).Result.DurationMS; ms != 1500 {
		t.Errorf("took %d ms, want 1500", ms)
	}
}
