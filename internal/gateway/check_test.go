package gateway_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
)

// ask sends a check and returns its verdict.
func (s *stage) ask(body string) (actions.Verdict, http.Header) {
	s.t.Helper()
	r := s.do("POST", "/v1/check?deadline_ms=30000", body)
	s.want(r, 200, "")
	v, err := actions.DecodeVerdict(r.body)
	if err != nil {
		s.t.Fatal(err)
	}
	return v, r.header
}

const (
	parcel  = `{"id":4471}`
	noScans = "no scans yet"
)

// The first published text, played over HTTP to the letter: the duplicate is
// answered from the first result, the third time is the last.
func TestTheDuplicateIsReplayedAndTheLoopHalted(t *testing.T) {
	s := newStage(t, "sundry", nil)
	v, h := s.ask(start("r1"))
	if v.Decision != actions.Allow || v.LastSeq == nil || *v.LastSeq != 0 || v.Time.IsZero() || h.Get("Lw-After") == "" {
		t.Fatalf("hello: %+v, %v", v, h)
	}
	if v, h = s.ask(call("r1", 1, "c1", parcel)); v.Decision != actions.Allow || v.CallID != "c1" || h.Get("Lw-After") != "" {
		t.Fatalf("first call: %+v, %v", v, h)
	}
	s.take(result("r1", 2, "c1", noScans))
	v, _ = s.ask(call("r1", 3, "c2", parcel))
	if v.Decision != actions.ReplayCall || v.Replay == nil || v.Replay.OfCallID != "c1" || string(v.Replay.Content) != `"`+noScans+`"` {
		t.Fatalf("second call: %+v", v)
	}
	if len(v.Controls) != 1 || v.Controls[0].Kind != actions.Inject {
		t.Fatalf("second call: controls %+v", v.Controls)
	}
	if v, _ = s.ask(call("r1", 4, "c3", parcel)); v.Decision != actions.RefuseCall {
		t.Fatalf("third call: %+v", v)
	}
	if v, _ = s.ask(start("r2") + " "); v.Decision != actions.Allow {
		t.Errorf("another task: %+v", v)
	}
}

// A run that comes back learns where it was.
func TestHelloTellsWhereToGoOn(t *testing.T) {
	s := newStage(t, "default", nil)
	s.ask(start("r1"))
	s.take(call("r1", 1, "c1", parcel) + "\n" + result("r1", 2, "c1", noScans))
	v, _ := s.ask(strings.Replace(start("r1"), `"r1-start"`, `"r1-again"`, 1))
	if v.LastSeq == nil || *v.LastSeq != 2 {
		t.Errorf("last seq %v, want 2", v.LastSeq)
	}
}

func TestChecksAreRefused(t *testing.T) {
	s := newStage(t, "default", nil)
	good := call("r1", 1, "c1", parcel)
	for _, c := range []struct {
		name, query, body string
		status            int
		code              string
	}{
		{"a turn", "", said("x", "turn", "r1", 1, `"round":1,"turn":{}`), 400, "no_question"},
		{"our own kind", "", `{"v":1,"id":"x","kind":"tick","time":"2026-01-01T00:00:00Z"}`, 400, "invalid"},
		{"no event", "", `{"v":1}`, 400, "invalid"},
		{"no JSON", "", `hello`, 400, "invalid"},
		{"two", "", "[" + good + "," + good + "]", 400, "invalid"},
		{"no deadline", "?deadline_ms=0", good, 400, "bad_query"},
		{"an endless deadline", "?deadline_ms=30001", good, 400, "bad_query"},
		{"a deadline in words", "?deadline_ms=2s", good, 400, "bad_query"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := s.in(t)
			s.want(s.do("POST", "/v1/check"+c.query, c.body), c.status, c.code)
		})
	}
	if got := s.stored("r1"); got != nil {
		t.Errorf("stored %v", got)
	}
}

// Where nobody decides, the event is stored all the same and the caller told
// to decide by itself; once somebody is back the run goes on where it was.
func TestNoVerdictInTime(t *testing.T) {
	s := newStage(t, "default", nil)
	s.ask(start("r1"))
	s.stop()
	s.want(s.do("POST", "/v1/check?deadline_ms=50", call("r1", 1, "c1", parcel)), 504, "no_verdict")
	if got := s.stored("r1"); len(got) != 2 || got[1] != "r1-c1" {
		t.Errorf("stored %v", got)
	}
	hello := s.do("POST", "/v1/check?deadline_ms=50", start("r2"))
	if s.want(hello, 504, "no_verdict"); hello.header.Get("Lw-After") == "" {
		t.Error("a hello that nobody answers does not say where polls begin")
	}
	// The same question again is a duplicate on the bus, and nobody answers.
	s.want(s.do("POST", "/v1/check?deadline_ms=50", call("r1", 1, "c1", parcel)), 504, "no_verdict")
	s.process()
	if v, _ := s.ask(call("r1", 2, "c2", `{"id":1}`)); v.Decision != actions.Allow {
		t.Errorf("afterwards: %+v", v)
	}
}

// A question that is sent again while its verdict is under way gets it, too.
func TestTheSameQuestionTwiceAtOnce(t *testing.T) {
	s := newStage(t, "default", nil)
	s.ask(start("r1"))
	s.stop()
	body := call("r1", 1, "c1", parcel)
	answers := make(chan reply, 2)
	for range 2 {
		go func() {
			r, err := s.send(t.Context(), "POST", "/v1/check?deadline_ms=30000", strings.NewReader(body))
			if err != nil {
				t.Error(err)
			}
			answers <- r
		}()
	}
	s.until("the question is stored", func() bool { return len(s.stored("r1")) == 2 })
	s.process()
	for range 2 {
		s.want(receive(t, "the verdict", answers), 200, "")
	}
	if got := s.stored("r1"); len(got) != 2 {
		t.Errorf("stored %v", got)
	}
}

// The processor judges deadlines by its own clock; the hello tells it.
func TestClocksThatAreApart(t *testing.T) {
	s := newStage(t, "default", nil)
	s.stop()
	s.now = func() time.Time { return time.Now().Add(time.Hour) }
	s.process()
	s.ask(start("r1"))
	if v, _ := s.ask(call("r1", 1, "c1", parcel)); v.Decision != actions.Allow {
		t.Errorf("verdict %+v", v)
	}
}
