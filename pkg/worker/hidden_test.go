package worker_test

import (
	"context"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

const (
	password = "correct horse battery"
	args     = `{"user":"ann","password":"` + password + `"}`
	answer   = "welcome, your token=" + inAnswer
	inAnswer = "s3cr3t-of-the-answer"
)

// What leaves the worker has no secret in it, or no text at all; what the tool
// gets and the model is shown is whole, also when it is handed back.
func TestOnlyTheBusSeesADifference(t *testing.T) {
	for _, c := range []struct {
		name  string
		cfg   worker.Config
		leaks bool
		sent  string // in the arguments
	}{
		{"redacted", worker.Config{}, false, `{"user":"ann","password":"[redacted:`},
		{"hashed", worker.Config{Content: worker.ContentHash, HashKey: []byte("0123456789abcdef")}, false, `{"password":{"$h":"`},
		{"raw", worker.Config{Content: worker.ContentRaw}, true, args},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBus(t)
			cfg := b.config()
			cfg.Content, cfg.HashKey = c.cfg.Content, c.cfg.HashKey
			r := b.run(cfg)
			got := ""
			out, err := b.do(r, allow, "login", args, func(context.Context) (any, error) { got = args; return answer, nil })
			if err != nil || got != args || out.Text() != answer {
				t.Fatalf("%+v, %v", out, err)
			}
			first := b.want(events.ToolResult)
			again, err := b.do(r, replayOf("c1", string(first.Result.Content)), "login", args, nil)
			if err != nil || !strings.HasSuffix(again.Text(), answer) {
				t.Errorf("handed back %q, %v", again.Text(), err)
			}
			second := b.want(events.ToolResult)
			if string(second.Result.Content) != string(first.Result.Content) {
				t.Errorf("equal results are sent as %s and %s", first.Result.Content, second.Result.Content)
			}
			for _, m := range [][]byte{first.Result.Content, second.Result.Content} {
				if strings.Contains(string(m), inAnswer) != c.leaks {
					t.Errorf("sent %s", m)
				}
			}
			if calls := b.sentArgs(); len(calls) != 2 || calls[0] != calls[1] || !strings.HasPrefix(calls[0], c.sent) {
				t.Errorf("arguments are sent as %q, want %s…", calls, c.sent)
			}
		})
	}
}

// sentArgs are the arguments of all calls that are stored.
func (b *bus) sentArgs() (out []string) {
	b.t.Helper()
	s, err := b.js.Stream(testContext(b.t), events.EventStream(0))
	if err != nil {
		b.t.Fatal(err)
	}
	for seq := uint64(1); seq <= s.CachedInfo().State.LastSeq; seq++ {
		m, err := s.GetMsg(testContext(b.t), seq)
		if err != nil {
			b.t.Fatal(err)
		}
		if e, err := events.Decode(m.Data, events.DefaultLimit); err == nil && e.Call != nil {
			out = append(out, string(e.Call.Args))
		}
	}
	return out
}

// A verdict's copy of a result with a hole in it is not handed to the model: the
// tool is executed.
func TestAHiddenResultIsNotHandedBack(t *testing.T) {
	for _, content := range []string{`"welcome, your token=[redacted:0123456789ab]"`, `{"$h":"00"}`} {
		b := newBus(t)
		last := uint64(17)
		r, err := b.hello(b.config(), actions.Verdict{LastSeq: &last})
		if err != nil {
			t.Fatal(err)
		}
		c, err := b.call(r, "login", nil, replayOf("c1", content))
		if err != nil || c.Replay != nil {
			t.Errorf("%s: %+v, %v", content, c, err)
		}
	}
}

func TestHashedContentNeedsAKey(t *testing.T) {
	b := newBus(t)
	for name, cfg := range map[string]worker.Config{
		"no key": {Content: worker.ContentHash}, "a short key": {Content: worker.ContentHash, HashKey: []byte("short")}, "no such content": {Content: 7},
	} {
		cfg.Conn = b.agent
		if r, err := worker.Start(testContext(t), cfg); err == nil {
			r.Close()
			t.Errorf("%s: it starts", name)
		}
	}
}
