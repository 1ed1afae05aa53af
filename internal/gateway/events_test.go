package gateway_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// said is the JSON of an event of a run; what it says beside is given as
// JSON members.
func said(id, kind, run string, seq int, members string) string {
	return fmt.Sprintf(`{"v":1,"id":%q,"kind":%q,"agent":"support","run":%q,"seq":%d,"time":%q,%s}`,
		id, kind, run, seq, time.Now().UTC().Format(time.RFC3339Nano), members)
}

func call(run string, seq int, id, args string) string {
	return said(run+"-"+id, "tool_call", run, seq, fmt.Sprintf(`"round":%d,"call":{"id":%q,"tool":"track_parcel","args":%s}`, seq, id, args))
}

func result(run string, seq int, id, content string) string {
	return said(run+"-"+id+"-r", "tool_result", run, seq, fmt.Sprintf(`"round":%d,"result":{"call_id":%q,"tool":"track_parcel","content":%q}`, seq-1, id, content))
}

func start(run string) string {
	return said(run+"-start", "run_start", run, 0, `"start":{"tools":[{"name":"track_parcel","effect":"read"}]}`)
}

// stored returns the ids of a run's events in stream order.
func (s *stage) stored(task string) []string {
	s.t.Helper()
	p := events.Partition("default", task, partitions)
	at, err := s.bus.EventState(s.t.Context(), p)
	if err != nil {
		s.t.Fatal(err)
	}
	var ids []string
	for seq := at.First; seq <= at.Last; seq++ {
		m, err := s.bus.Event(s.t.Context(), p, seq)
		if err != nil {
			s.t.Fatal(err)
		}
		if e, err := events.Decode(m.Data, 0); err == nil && e.Task == task {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// taken is how a body was taken.
type taken struct {
	Accepted int
	Rejected []struct {
		Index         int
		Error, Reason string
		Field         string
	}
}

func (s *stage) take(body string, header ...string) taken {
	s.t.Helper()
	r := s.do("POST", "/v1/events", body, header...)
	s.want(r, 202, "")
	var out taken
	if err := json.Unmarshal(r.body, &out); err != nil {
		s.t.Fatal(err)
	}
	return out
}

func TestEventsAreTaken(t *testing.T) {
	s := newStage(t, "default", nil)
	turn := func(run string, seq int) string {
		return said(fmt.Sprintf("%s-%d", run, seq), "turn", run, seq, fmt.Sprintf(`"round":%d,"turn":{"text":"hm"}`, seq))
	}
	for _, c := range []struct {
		name, body, run string
		accepted        int
		want            []string // stored of the run, in order
		rejected        []int
	}{
		{"one", turn("a", 1), "a", 1, []string{"a-1"}, nil},
		{"one over several lines", strings.ReplaceAll(turn("b", 1), ",", ",\n"), "b", 1, []string{"b-1"}, nil},
		{"an array", "[" + turn("c", 1) + "," + turn("c", 2) + "," + turn("c", 3) + "]", "c", 3, []string{"c-1", "c-2", "c-3"}, nil},
		{"lines", turn("d", 1) + "\n\n" + turn("d", 2) + "\r\n", "d", 2, []string{"d-1", "d-2"}, nil},
		{"runs side by side", turn("e", 1) + "\n" + turn("f", 1) + "\n" + turn("e", 2) + "\n" + turn("f", 2), "e", 4, []string{"e-1", "e-2"}, nil},
		{"broken lines between", "{\n" + turn("g", 1) + "\nnull\n" + strings.Replace(turn("g", 9), `"turn":`, `"tern":`, 1) + "\n" + turn("g", 2), "g", 2, []string{"g-1", "g-2"}, []int{0, 2, 3}},
		{"broken elements", "[7," + turn("h", 1) + `,{"v":2}]`, "h", 1, []string{"h-1"}, []int{0, 2}},
		{"nothing", "[]", "i", 0, nil, nil},
		{"the same again", turn("a", 1) + "\n" + turn("a", 2), "a", 2, []string{"a-1", "a-2"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := s.in(t)
			got := s.take(c.body)
			var rejected []int
			for _, r := range got.Rejected {
				rejected = append(rejected, r.Index)
			}
			if got.Accepted != c.accepted || !cmp.Equal(rejected, c.rejected) {
				t.Errorf("accepted %d, rejected %+v; want %d, %v", got.Accepted, got.Rejected, c.accepted, c.rejected)
			}
			if diff := cmp.Diff(c.want, s.stored(c.run)); diff != "" {
				t.Errorf("stored (-want +have):\n%s", diff)
			}
		})
	}
}

func TestItemsAreRefusedWithTheirReason(t *testing.T) {
	s := newStage(t, "default", nil)
	good := said("r-1", "turn", "r", 1, `"round":1,"turn":{}`)
	for _, c := range []struct{ name, item, want string }{
		{"no run", strings.Replace(good, `"run":"r",`, "", 1), "missing_field: run: required"},
		{"a name that is none", strings.Replace(good, `"run":"r"`, `"run":"a b"`, 1), "bad_name: run: want 1 to 128 of A-Z a-z 0-9 = - _, not beginning with _"},
		{"our own kind", `{"v":1,"id":"x","kind":"tick","time":"2026-01-01T00:00:00Z"}`, "reserved_kind: kind: no worker may publish it"},
		{"an operator's act", `{"v":1,"id":"x","kind":"operator","time":"2026-01-01T00:00:00Z","operator":{"action":"halt","scope":{}}}`, "reserved_kind: kind: no worker may publish it"},
		{"too large", strings.Replace(good, `"turn":{}`, `"turn":{"text":"`+strings.Repeat("x", events.DefaultLimit)+`"}`, 1), "too_large: "},
		{"a later version", strings.Replace(good, `"v":1`, `"v":2`, 1), "version: v: this code reads version 1 only"},
		{"a key twice", strings.Replace(good, `"v":1`, `"v":1,"v":1`, 1), "duplicate_key: v: "},
		{"no seq", strings.Replace(good, `"seq":1,`, "", 1), "missing_field: seq: required"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := s.in(t)
			got := s.take("[" + c.item + "]")
			if got.Accepted != 0 || len(got.Rejected) != 1 || !strings.HasPrefix(got.Rejected[0].Error, c.want) {
				t.Errorf("taken as %+v, want %s", got, c.want)
			}
		})
	}
	if got := s.stored("r"); got != nil {
		t.Errorf("stored %v", got)
	}
}

// What a dump adds to an event, and what a newer worker says, neither hinders
// it nor is it believed.
func TestTheStoredEventIsWhatWasSent(t *testing.T) {
	s := newStage(t, "default", nil)
	plain := said("r-1", "turn", "r", 1, `"new":[1,  2],"round":1,"turn":{"text":"a"}`)
	dumped := said("r-2", "turn", "r", 2, `"stored":"2020-01-01T00:00:00Z","stream_seq":7,"partition":0,"round":2,"turn":{}`)
	if got := s.take(plain + "\n" + dumped); got.Accepted != 2 {
		t.Fatalf("taken as %+v", got)
	}
	p := events.Partition("default", "r", partitions)
	at, err := s.bus.EventState(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.bus.Event(t.Context(), p, at.Last-1)
	if err != nil || string(first.Data) != plain {
		t.Errorf("stored %s, %v; want %s", first.Data, err, plain)
	}
	second, err := s.bus.Event(t.Context(), p, at.Last)
	if err != nil || strings.Contains(string(second.Data), "stream_seq") || strings.Contains(string(second.Data), "2020") {
		t.Errorf("stored %s, %v", second.Data, err)
	}
}

// Bodies of one run that come at the same time are stored one after the other.
func TestBodiesOfOneRunAreNotMixed(t *testing.T) {
	s := newStage(t, "default", nil)
	const bodies, each = 4, 30
	var wg sync.WaitGroup
	for b := range bodies {
		var body strings.Builder
		for i := range each {
			body.WriteString(said(fmt.Sprintf("%d-%d", b, i), "turn", "r1", b*each+i+1, `"round":1,"turn":{}`) + "\n")
		}
		wg.Go(func() {
			r, err := s.send(t.Context(), "POST", "/v1/events", strings.NewReader(body.String()))
			if err != nil || r.status != 202 {
				t.Errorf("answered %d %s, %v", r.status, r.body, err)
			}
		})
	}
	wg.Wait()
	got := s.stored("r1")
	if len(got) != bodies*each {
		t.Fatalf("stored %d", len(got))
	}
	for i, id := range got {
		b, n, _ := strings.Cut(id, "-")
		if first, _, _ := strings.Cut(got[i/each*each], "-"); b != first || n != fmt.Sprint(i%each) {
			t.Fatalf("stored %s as number %d: %v", id, i, got)
		}
	}
}
