package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// line is an event of run r1 as any client would write it. Every text in it
// says secret, which must not leave the stream.
func line(id, kind, rest string) string {
	return fmt.Sprintf(`{"v":1,"id":"%s","kind":"%s","run":"r1","task":"t1","seq":1,"time":"2026-01-01T09:00:00.5Z","round":1%s}`, id, kind, rest)
}

func callLine(id, rest string) string {
	return line(id, "tool_call", `,"call":{"id":"`+id+`","tool":"read","args":{"page":"`+id+`"`+rest+`}}`)
}

// wrong is a message that no processor takes.
type wrong struct {
	reason  events.Reason
	subject string // empty for that of run r1
	body    string
}

// own is where a worker of run r1 publishes.
var own = events.EventSubject("default", "agent", "t1", "r1")

// wrongs has a message for every reason.
func wrongs() []wrong {
	home := events.Partition("default", "t1", partitions)
	away := (home + 1) % partitions
	secret := `,"secret":"secret"`
	return []wrong{
		{events.ReasonTooLarge, "", callLine("w-large", `,"x":"`+strings.Repeat("secret", 50_000)+`"`)},
		{events.ReasonNotJSON, "", `{"v":1,"id":"w-json","goal":"secret`},
		{events.ReasonInvalidUTF8, "", callLine("w-utf8", ",\"x\":\"secret\xff\"")},
		{events.ReasonDuplicateKey, "", callLine("w-twice", secret+secret)},
		{events.ReasonTooDeep, "", callLine("w-deep", `,"x":`+strings.Repeat("[", events.MaxDepth)+strings.Repeat("]", events.MaxDepth))},
		{events.ReasonNotObject, "", `["secret"]`},
		{events.ReasonVersion, "", strings.Replace(callLine("w-version", secret), `"v":1`, `"v":2`, 1)},
		{events.ReasonUnknownKind, "", line("w-kind", "thought", `,"thought":"secret"`)},
		{events.ReasonMissingField, "", line("w-missing", "tool_call", `,"call":{"id":"c1"`+secret+`}`)},
		{events.ReasonBadName, "", strings.Replace(callLine("w-name", secret), `"run":"r1"`, `"run":"r 1"`, 1)},
		{events.ReasonBadTime, "", strings.Replace(callLine("w-time", secret), "09:00:00.5Z", "09:00:00", 1)},
		{events.ReasonBadValue, "", strings.Replace(callLine("w-value", secret), `"seq":1`, `"seq":-1`, 1)},
		{events.ReasonIdentity, events.EventSubject("other", "agent", "t1", "r1"), callLine("w-identity", secret)},
		{events.ReasonPartition, events.PartitionSubject(away, "default", "agent"), callLine("w-partition", secret)},
		{events.ReasonReservedKind, "", `{"v":1,"id":"w-reserved","kind":"tick","time":"2026-01-01T09:00:00Z"}`},
		{events.ReasonSignature, events.ReservedSubject(home, events.OperatorAct),
			`{"v":1,"id":"w-signature","kind":"operator","time":"2026-01-01T09:00:00Z","operator":{"action":"halt","scope":{},"reason":"secret","sig":"secret"}}`},
		{events.ReasonRunEnded, "", ""}, // made by the test: it wants a run that has ended
	}
}

// letterAt is a dead letter as it is stored.
type letterAt struct {
	Stream, Subject, Event, Reason, Detail, SHA256 string
	Partition                                      int
	Seq                                            uint64
	Bytes                                          int
	Stored                                         time.Time
}

// letters returns the dead letters by the place of what they are about; one
// place has one.
func (s *stage) letters() map[string]letterAt {
	s.t.Helper()
	all, err := s.js.Stream(s.bounded(), "LW_DLQ")
	if err != nil {
		s.t.Fatal(err)
	}
	out := map[string]letterAt{}
	for seq := uint64(1); seq <= all.CachedInfo().State.LastSeq; seq++ {
		m, err := all.GetMsg(s.bounded(), seq)
		if err != nil {
			s.t.Fatal(err)
		}
		if strings.Contains(string(m.Data), "secret") {
			s.t.Errorf("a dead letter holds text: %s", m.Data)
		}
		var l letterAt
		if err := json.Unmarshal(m.Data, &l, json.MatchCaseInsensitiveNames(true)); err != nil {
			s.t.Fatal(err)
		}
		if want := events.DeadLetterSubject(l.Partition, l.Seq); m.Subject != want {
			s.t.Errorf("the letter about %s %d stands under %s, want %s", l.Stream, l.Seq, m.Subject, want)
		}
		at := fmt.Sprint(l.Stream, " ", l.Seq)
		if _, twice := out[at]; twice {
			s.t.Errorf("%s has two dead letters", at)
		}
		out[at] = l
	}
	return out
}

// store publishes a message and returns where it was stored.
func (s *stage) store(subject, id, body string) string {
	s.t.Helper()
	m := nats.NewMsg(subject)
	m.Data = []byte(body)
	m.Header.Set("Nats-Msg-Id", id)
	ack, err := s.js.PublishMsg(s.bounded(), m)
	if err != nil {
		s.t.Fatal(err)
	}
	return fmt.Sprint(ack.Stream, " ", ack.Sequence)
}

// Wrong input of every kind lands in the dead letters with its reason, once,
// whatever happens to the processor, and its neighbours are processed.
func TestDeadLetters(t *testing.T) {
	s := newStage(t, "default")
	data, p := s.manned()
	type expected struct {
		wrong
		at string
	}
	var want []expected
	good := 0
	neighbour := func() {
		good++
		s.store(own, fmt.Sprint("good-", good), strings.Replace(callLine(fmt.Sprint("good-", good), ""), `"seq":1`, fmt.Sprintf(`"seq":%d`, good), 1))
	}
	for _, w := range wrongs() {
		neighbour()
		if w.reason == events.ReasonRunEnded {
			end := strings.ReplaceAll(line("end-2", "run_end", `,"end":{"status":"done"}`), `"r1"`, `"r2"`)
			s.store(events.EventSubject("default", "agent", "t1", "r2"), "end-2", end)
			w.subject, w.body = events.EventSubject("default", "agent", "t1", "r2"), strings.ReplaceAll(callLine("w-ended", `,"secret":"secret"`), `"r1"`, `"r2"`)
		}
		if w.subject == "" {
			w.subject = own
		}
		want = append(want, expected{w, s.store(w.subject, "wrong-"+string(w.reason), w.body)})
	}
	neighbour()
	seen := map[events.Reason]bool{}
	check := func(when string) {
		t.Helper()
		got := s.letters()
		for _, w := range want {
			l, sum := got[w.at], sha256.Sum256([]byte(w.body))
			if l.Reason != string(w.reason) || l.SHA256 != hex.EncodeToString(sum[:]) || l.Bytes != len(w.body) || l.Stored.IsZero() || l.Detail == "" {
				t.Errorf("%s: %s: the letter is %+v", when, w.reason, l)
			}
			seen[w.reason] = true
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d dead letters, want %d", when, len(got), len(want))
		}
		if d := s.detail("r1"); d.Calls != good || d.Gaps != 0 {
			t.Errorf("%s: %d calls and %d gaps of the neighbours, want %d and none", when, d.Calls, d.Gaps, good)
		}
	}
	s.wait(p)
	check("live")
	p.stop(t)
	p = s.start(data, "")
	s.wait(p)
	check("after a restart")
	p.stop(t)
	s.rewind(data)
	p = s.start(data, "")
	s.wait(p)
	check("applied again from the first event")
	for _, r := range events.Reasons() {
		if !seen[r] {
			t.Errorf("nothing arrived that is refused as %s", r)
		}
	}
}
