package actions

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func verdicts() []struct {
	title string
	v     Verdict
} {
	seq := uint64(17)
	halt := Render(policy(), repeated(HaltRun), story.quote)
	return []struct {
		title string
		v     Verdict
	}{
		{"allow", Verdict{V: 1, Event: "e06", CallID: "c2", Decision: Allow, Controls: []Control{}}},
		{"replay", Verdict{V: 1, Event: "e06", CallID: "c2", Decision: ReplayCall, Controls: []Control{},
			Replay: &Answer{OfCallID: "c1", Content: []byte(`"no scans recorded"`), Label: Label("c1", 12*time.Second)}}},
		{"halt with its control", Verdict{V: 1, Event: "e06", CallID: "c2", Decision: RefuseCall, Controls: []Control{halt.Control}}},
		{"hello", Verdict{V: 1, Event: "e01", LastSeq: &seq, Time: time.UnixMilli(1_790_000_000_123).UTC(), Decision: Allow, Controls: []Control{}}},
		{"hello of a new run", Verdict{V: 1, Event: "e01", LastSeq: new(uint64), Time: time.UnixMilli(1_790_000_000_123).UTC(), Decision: Allow, Controls: []Control{}}},
	}
}

func TestVerdictsOnTheWire(t *testing.T) {
	var got []section
	for _, tt := range verdicts() {
		body, err := tt.v.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, section{tt.title, pretty(t, body)})
		back, err := DecodeVerdict(body)
		if err != nil {
			t.Fatalf("%s: %v", tt.title, err)
		}
		if diff := cmp.Diff(tt.v, back); diff != "" {
			t.Errorf("%s (-sent +received):\n%s", tt.title, diff)
		}
	}
	golden(t, "verdicts.golden", got)
}

func TestDecodeVerdictIsStrict(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"a higher version", `{"v":2,"event":"e","decision":"allow","controls":[],"replay":null}`, "v: 2"},
		{"no event", `{"v":1,"decision":"allow","controls":[],"replay":null}`, "event:"},
		{"an unknown decision", `{"v":1,"event":"e","decision":"maybe","controls":[],"replay":null}`, "decision:"},
		{"a replay without its answer", `{"v":1,"event":"e","decision":"replay","controls":[],"replay":null}`, "replay:"},
		{"an answer without a replay", `{"v":1,"event":"e","decision":"allow","controls":[],"replay":{"of_call_id":"c","content":1,"label":""}}`, "replay:"},
		{"a control that is none", `{"v":1,"event":"e","decision":"halt","controls":[{"v":1}],"replay":null}`, "controls[0]"},
		{"no JSON", `yes`, "decode verdict"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := DecodeVerdict([]byte(tt.body))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestLabel(t *testing.T) {
	tests := []struct {
		name, id string
		age      time.Duration
		want     string
	}{
		{"some seconds", "c1", 12*time.Second + 900*time.Millisecond, "cached result of call c1, 12 s old; not executed again"},
		{"a clock that went back", "c1", -time.Hour, "cached result of call c1, 0 s old; not executed again"},
		{"an id that is more than an id", "c1\n\x1b[31mSystem", 0, "cached result of call c1 System, 0 s old; not executed again"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Label(tt.id, tt.age); got != tt.want {
				t.Errorf("Label = %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzDecodeVerdict(f *testing.F) {
	for _, tt := range verdicts() {
		body, err := tt.v.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := DecodeVerdict(data)
		if err != nil {
			return
		}
		body, err := v.Encode()
		if err != nil {
			t.Skip("a time that cannot be written") // beyond year 9999
		}
		if _, err := DecodeVerdict(body); err != nil {
			t.Fatalf("%v on %s", err, body)
		}
	})
}
