package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// poison are bodies that no processor may trip over. Each has room for an id.
func poison(t *testing.T) map[string]string {
	t.Helper()
	call := func(args string) string {
		return `{"v":1,"id":"%s","kind":"tool_call","task":"good","run":"good","seq":900,"time":"2026-01-01T09:00:00Z","round":900,` +
			`"call":{"id":"p","tool":"poison","args":` + args + `}}`
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(call("1"))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var keys strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&keys, `"%d":1,`, i)
	}
	return map[string]string{
		"large":         call(`"` + strings.Repeat("x", 1_000_000) + `"`),
		"deep":          call(strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)),
		"deep allowed":  call(strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)),
		"not UTF-8":     call("\"\xff\xfe\""),
		"half a pair":   call(`"\ud800"`),
		"NUL":           call(`"\u0000"`),
		"raw NUL":       "\x00\x00\x00%s",
		"twice a key":   call(`{"a":1,"a":2}`),
		"twice the id":  `{"v":1,"id":"x",` + call("1")[7:],
		"case variant":  strings.Replace(call(`{"a":1,"A":2}`), `"kind"`, `"Kind":"turn","kind"`, 1),
		"beyond double": call("1e400"),
		"minus zero":    call("-0"),
		"2^53+1":        call("9007199254740993"),
		"seq 2^53":      strings.Replace(call("1"), `"seq":900`, `"seq":9007199254740992`, 1),
		"many keys":     call("{" + strings.TrimSuffix(keys.String(), ",") + "}"),
		"gzip":          zipped.String() + "%s",
		"empty":         "",
		"an array":      `["%s"]`,
		"year 0":        strings.Replace(call("1"), "2026", "0000", 1),
		"another task":  strings.Replace(call("1"), `"task":"good"`, `"task":"other"`, 1),
		"a later v":     strings.Replace(call("1"), `"v":1`, `"v":2`, 1),
		"our own kind":  `{"v":1,"id":"%s","kind":"tick","time":"2026-01-01T09:00:00Z"}`,
	}
}

// Whatever stands between good events, the good ones are judged as ever, and
// each bad one ends in one bucket.
func TestPoisonBetweenGoodNeighbours(t *testing.T) {
	for _, preset := range []string{"sundry", "forty-times"} {
		t.Run(preset, func(t *testing.T) {
			s := newStage(t, preset)
			p := s.start(t.TempDir(), "")
			s.wait(p)
			seq := uint64(0)
			good := func(i int) {
				seq++
				s.publish(events.Event{
					V: 1, ID: fmt.Sprint("good-", seq), Kind: events.ToolCall, Tenant: "default", Agent: "agent", Task: "good", Run: "good",
					Seq: seq, Time: time.Now(), Round: int(seq), Call: &events.Call{ID: "c", Tool: "look", Args: events.RawJSON(fmt.Sprintf(`{"n":%d}`, i))},
				})
			}
			bad, n := poison(t), 0
			for name, body := range bad {
				good(n / 9) // so that calls recur
				n++
				id := "bad-" + events.EscapeName(name)
				seq++
				body = strings.ReplaceAll(body, `:900,`, fmt.Sprintf(`:%d,`, seq))
				s.publishRaw(events.EventSubject("default", "agent", "good", "good"), id, []byte(strings.Replace(body, "%s", id, 1)))
			}
			good(n)
			if s.judged(preset, p) == 0 {
				t.Fatal("nothing was decided: the test proves nothing")
			}
			at := s.buckets()[events.Partition("default", "good", partitions)]
			if at.Rejected < 12 {
				t.Errorf("%d events were rejected: the test proves nothing", at.Rejected)
			}
			t.Logf("%d bodies: %+v", len(bad), at)
			p.stop(t)
		})
	}
}

// Events that come twice, in another order, late, or never, from clocks that
// are an hour off or in another century, are judged as the oracle judges them.
func TestDisorder(t *testing.T) {
	for _, preset := range []string{"sundry", "forty-times"} {
		t.Run(preset, func(t *testing.T) {
			rnd := seed(t)
			s := newStage(t, preset)
			p := s.start(t.TempDir(), "")
			s.wait(p)
			told := mixed(rnd, recorded(t, 96), preset == "sundry") // which knows no turns, either
			for i, line := range told {
				e, err := events.Decode(line, 0)
				if err != nil {
					t.Fatal(err)
				}
				if preset == "sundry" { // which knows no clock
					switch rnd.IntN(12) {
					case 0:
						e.Time = e.Time.Add(time.Hour)
					case 1:
						e.Time = time.Unix(0, 0)
					case 2:
						e.Time = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
					}
				}
				body, err := events.Encode(e)
				if err != nil {
					t.Fatal(err)
				}
				// not the event's own id: the stream itself would drop the second
				s.publishRaw(events.EventSubject(e.Tenant, e.Agent, e.Task, e.Run), fmt.Sprint(preset, i), body)
			}
			if s.judged(preset, p) == 0 {
				t.Fatal("nothing was decided: the test proves nothing")
			}
			for n, b := range s.buckets() {
				t.Logf("partition %d: %+v", n, b)
			}
			p.stop(t)
		})
	}
}

// mixed delivers lines twice, not at all or, where late, later than they belong.
func mixed(rnd *rand.Rand, in [][]byte, late bool) (out [][]byte) {
	var held [][]byte
	for _, l := range in {
		switch fate := rnd.IntN(16); {
		case fate == 0:
			out = append(out, l, l)
		case fate == 1 && late:
			held = append(held, l)
			continue
		case fate == 2:
			continue
		default:
			out = append(out, l)
		}
		if len(held) > 0 && rnd.IntN(3) == 0 {
			out, held = append(out, held[0]), held[1:]
		}
	}
	return append(out, held...)
}

// One run that never ends is judged like any other.
func TestALongRun(t *testing.T) {
	const preset = "sundry"
	calls := 1000
	if soak() {
		calls = 4000 // the memory of the policy: beyond it the state says truncated
	}
	rnd := seed(t)
	s := newStage(t, preset)
	p := s.start(t.TempDir(), "")
	s.wait(p)
	var lines [][]byte
	for i := range calls {
		n := i
		if i > 0 && rnd.IntN(400) == 0 {
			n = rnd.IntN(i)
		}
		body, err := events.Encode(events.Event{
			V: 1, ID: fmt.Sprint("long-", i), Kind: events.ToolCall, Tenant: "default", Agent: "agent", Task: "long", Run: "long",
			Seq: uint64(i + 1), Time: time.Now(), Round: i + 1, Call: &events.Call{ID: "c", Tool: "look", Args: events.RawJSON(fmt.Sprintf(`{"n":%d}`, n))},
		})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, body)
	}
	s.feed(lines)
	t.Logf("%d calls, %d acted decisions", calls, s.judged(preset, p))
	p.stop(t)
}
