package worker

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func anEvent(k events.Kind) events.Event {
	return events.Event{
		V: events.Version, ID: "e1", Kind: k, Tenant: "default", Agent: "agent", Task: "t1", Run: "r1",
		Seq: 1, Round: 1, Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Origin: events.FromAgent,
	}
}

func aCall(args string) events.Event {
	e := anEvent(events.ToolCall)
	e.Call = &events.Call{ID: "c1", Tool: "tool", Args: events.RawJSON(args)}
	return e
}

// mib is far more than an event may have.
var mib = strings.Repeat("0123456789abcdef", 1<<16)

// Whatever an agent says fits into an event that every processor takes.
func TestFit(t *testing.T) {
	many := make([]string, 20_000)
	for i := range many {
		many[i] = fmt.Sprintf("field_%d", i)
	}
	tools := make([]events.Tool, 5000)
	for i := range tools {
		tools[i].Name = fmt.Sprintf("tool_%d_%s", i, mib[:200])
	}
	deep := strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000)
	for name, fill := range map[string]func(*events.Event){
		"start": func(e *events.Event) {
			e.Kind, e.Start = events.RunStart, &events.Start{Goal: mib, Model: mib, Tools: tools}
		},
		"turn": func(e *events.Event) {
			e.Kind, e.Turn = events.TurnKind, &events.Turn{Text: mib, Model: mib, Asks: many, Known: many, State: events.RawJSON(`"` + mib + `"`)}
		},
		"control characters": func(e *events.Event) {
			e.Kind, e.Turn = events.TurnKind, &events.Turn{Text: strings.Repeat("\x01", 1<<20)}
		},
		"arguments": func(e *events.Event) {
			e.Call = &events.Call{ID: "c1", Tool: mib, Args: events.RawJSON(`{"a":"` + mib + `","b":1}`)}
		},
		"deep arguments": func(e *events.Event) { e.Call = &events.Call{ID: "c1", Tool: "t", Args: events.RawJSON(deep)} },
		"raw arguments":  func(e *events.Event) { e.Call = &events.Call{ID: "c1", Tool: "t", RawArgs: mib + "\xff"} },
		"content": func(e *events.Event) {
			e.Kind, e.Result = events.ToolResult, &events.Result{CallID: "c1", Tool: mib, Content: events.RawJSON(`"` + mib + `"`)}
		},
		"deep content": func(e *events.Event) {
			e.Kind, e.Result = events.ToolResult, &events.Result{CallID: "c1", Content: events.RawJSON(deep)}
		},
		"error": func(e *events.Event) {
			e.Kind, e.Result = events.ToolResult, &events.Result{CallID: "c1", Error: &events.Error{Message: mib + "\xff", Code: mib}}
		},
		"message": func(e *events.Event) { e.Kind, e.Message = events.Said, &events.Message{Role: mib, To: mib, Text: mib} },
		"end": func(e *events.Event) {
			e.Kind, e.End = events.RunEnd, &events.End{Status: events.Blocked, Reason: mib, Blocked: &events.Blocker{Attempted: many, Blocker: mib, Needs: mib}}
		},
		"acknowledgement": func(e *events.Event) {
			e.Kind, e.Ack = events.ControlAck, &events.Ack{Control: "ctl_1", Outcome: events.Applied, Detail: mib}
		},
		"many short arguments": func(e *events.Event) { e.Call = &events.Call{ID: "c1", Tool: "t", Args: events.RawJSON(object(many))} },
		"one argument, an array": func(e *events.Event) {
			e.Call = &events.Call{ID: "c1", Tool: "t", Args: events.RawJSON(`["` + mib + `"]`)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := anEvent(events.ToolCall)
			fill(&e)
			body, err := fit(&e, 64<<10)
			if err != nil {
				t.Fatal(err)
			}
			if len(body) > events.DefaultLimit {
				t.Errorf("%d bytes", len(body))
			}
			if _, err := events.Decode(body, events.DefaultLimit); err != nil {
				t.Error(err)
			}
		})
	}
	if tools[4999].Name != "tool_4999_"+mib[:200] || len(many) != 20_000 || many[19_999] != "field_19999" {
		t.Error("what the caller holds was changed")
	}
}

func object(names []string) string {
	var b strings.Builder
	for i, n := range names {
		b.WriteString(map[bool]string{true: "{", false: ","}[i == 0] + `"` + n + `":1`)
	}
	return b.String() + "}"
}

// What fits is sent as it is.
func TestFitLeavesAlone(t *testing.T) {
	e := aCall(`{"path":"a.go","text":"x"}`)
	body, err := fit(&e, 64<<10)
	if err != nil || !strings.Contains(string(body), `"args":{"path":"a.go","text":"x"}`) {
		t.Errorf("%s, %v", body, err)
	}
}

// Size is not what is wrong with every event.
func TestFitGivesUp(t *testing.T) {
	for name, e := range map[string]events.Event{
		"no tool":        {V: 1, ID: "e1", Kind: events.ToolCall, Run: "r1", Seq: 1, Round: 1, Time: time.Now(), Call: &events.Call{ID: "c1"}},
		"broken JSON":    aCall(`{"a":`),
		"no such status": {V: 1, ID: "e1", Kind: events.RunEnd, Run: "r1", Seq: 1, Time: time.Now(), End: &events.End{Status: "fine"}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := fit(&e, 64<<10); err == nil {
				t.Error("no error")
			}
		})
	}
}

// Cutting keeps equal what is equal and different what is different.
func TestCutIdentity(t *testing.T) {
	args := func(s string) string { return string(opaque(events.RawJSON(s), 1000)) }
	long := mib[:2000]
	for name, tc := range map[string]struct {
		a, b string
		same bool
	}{
		"another order":            {`{"path":"a","text":"` + long + `"}`, `{"text":"` + long + `", "path":"a"}`, true},
		"another end":              {`{"path":"a","text":"` + long + `"}`, `{"path":"a","text":"` + long + `!"}`, false},
		"another short argument":   {`{"path":"a","text":"` + long + `"}`, `{"path":"b","text":"` + long + `"}`, false},
		"an array":                 {`["` + long + `"]`, `["` + long + `!"]`, false},
		"numbers that round alike": {`{"a":[` + long[:0] + strings.Repeat("1,", 600) + `12345678901234567890]}`, `{"a":[` + strings.Repeat("1,", 600) + `12345678901234567891]}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := args(tc.a), args(tc.b)
			if (a == b) != tc.same {
				t.Errorf("%.200s\n%.200s", a, b)
			}
			if len(a) > 1000 {
				t.Errorf("%d bytes", len(a))
			}
		})
	}
	if got := args(`{"path":"a.go","text":"` + long + `"}`); !strings.HasPrefix(got, `{"path":"a.go","text":{"$h":"`) {
		t.Errorf("the short argument is gone: %s", got)
	}
	if a, b := text(long, 100), text(long+"!", 100); a == b || len(a) > 100 || !strings.HasPrefix(a, long[:60]) {
		t.Errorf("texts %q and %q", a, b)
	}
	if s := text(strings.Repeat("ä", 100), 100); len(s) > 100 || strings.Contains(s, "\uFFFD") {
		t.Errorf("cut within a letter: %q", s)
	}
}

// The content that was cut is text and says which whole it is of.
func TestCutContent(t *testing.T) {
	whole := `{"rows":["` + mib[:3000] + `"]}`
	res := events.Result{Content: events.RawJSON(whole)}
	cut(&res, 1000)
	if !res.Truncated || res.ContentSHA != digest([]byte(whole)) || !strings.HasPrefix(string(res.Content), `"{\"rows\"`) {
		t.Errorf("%+v", res)
	}
	sha := res.ContentSHA
	cut(&res, 500)
	if res.ContentSHA != sha || len(res.Content) > 600 {
		t.Errorf("cut again: sha %s, %d bytes", res.ContentSHA, len(res.Content))
	}
}

// Any text in any place gives an event that can be decoded.
func FuzzFit(f *testing.F) {
	f.Add("tool", `{"a":1}`, "text", 300)
	f.Add("", "{\"a\":\"\xff\"", "\x00\ud7ff", 1)
	f.Add(mib[:400], `{"a":[[[[]]]],"a":2}`, mib[:1000], 64)
	f.Fuzz(func(t *testing.T, tool, args, said string, limit int) {
		limit = max(limit%(1<<16), 1)
		e := anEvent(events.ToolCall)
		e.Call = &events.Call{ID: "c1", Tool: tool}
		var err error
		if e.Call.Args, e.Call.RawArgs, err = arguments(args); err != nil {
			t.Fatal(err)
		}
		if _, err := fit(&e, limit); err != nil && tool != "" {
			t.Errorf("call: %v", err)
		}
		raw, err := content(said)
		if err != nil {
			t.Fatal(err)
		}
		e = anEvent(events.ToolResult)
		e.Result = &events.Result{CallID: "c1", Content: raw, Error: &events.Error{Message: said}}
		if _, err := fit(&e, limit); err != nil {
			t.Errorf("result: %v", err)
		}
		e = anEvent(events.TurnKind)
		e.Turn = &events.Turn{Text: said, Asks: []string{said}, Known: events.Names{args}}
		if _, err := fit(&e, limit); err != nil {
			t.Errorf("turn: %v", err)
		}
	})
}

// The cache holds the first result of a call, and the newest calls.
func TestCache(t *testing.T) {
	var c cache
	c.put("c1", kept{content: []byte("first")})
	c.put("c1", kept{content: []byte("second")})
	if string(c.byCall["c1"].content) != "first" {
		t.Errorf("kept %s", c.byCall["c1"].content)
	}
	for i := range cacheCalls {
		c.put(fmt.Sprint("more", i), kept{})
	}
	if _, ok := c.byCall["c1"]; ok || len(c.byCall) != cacheCalls {
		t.Errorf("%d results are kept", len(c.byCall))
	}
	big := make([]byte, cacheBytes/2+1)
	c.put("big1", kept{content: big})
	c.put("big2", kept{content: big})
	if _, ok := c.byCall["big1"]; ok || c.bytes > cacheBytes || len(c.order) != len(c.byCall) {
		t.Errorf("%d bytes are kept", c.bytes)
	}
	c.put("huge", kept{content: make([]byte, cacheBytes+1)})
	if _, ok := c.byCall["huge"]; ok {
		t.Error("a result larger than the cache is kept")
	}
}

// A fault in the guard silences it and does not take the agent with it.
func TestGuardFault(t *testing.T) {
	g := &guard{quotes: nil} // a nil map, and no engine
	g.see(anEvent(events.RunStart))
	if g.failure == nil {
		t.Fatal("no failure is noted")
	}
	g.see(anEvent(events.RunStart))
	if g.seq != 1 {
		t.Error("a guard that failed goes on")
	}
}

// The newest questions stay open.
func TestQuestions(t *testing.T) {
	var q questions
	for i := range maxQuestions + 1 {
		e := anEvent(events.ToolCall)
		e.ID = fmt.Sprint("e", i)
		q.add(fmt.Sprint("t", i), &question{said: e})
	}
	if q.take("t0", "e0") != nil {
		t.Error("the oldest question is still open")
	}
	if q.take("t7", "e8") != nil || q.take("t7", "e7") == nil || q.take("t7", "e7") != nil {
		t.Error("an answer belongs to one question, once")
	}
	if len(q.byToken) != maxQuestions-1 || slices.Contains(q.order, "t7") {
		t.Errorf("%d questions are open", len(q.byToken))
	}
}
