package trace

import (
	"strings"
	"testing"
)

func TestFaults(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"no title", "call a {}\n", "x.trace:1: wants a title before it: -- in plain words --"},
		{"half a title", "-- a\n", "x.trace:1: wants -- in plain words --"},
		{"no words in the title", "--  --\n", "x.trace:1: wants -- in plain words --"},
		{"a title twice", "-- a --\nuser x\n-- a --\nuser y\n", "x.trace:3: title: line 1 has the same"},
		{"nothing told", "-- a --\nset x 1\n", "x.trace:1: the section tells nothing"},
		{"an unknown step", "-- a --\nlook around\n", "x.trace:2: look: no such step"},
		{"a call of nothing", "-- a --\ncall\n", "x.trace:2: call: wants the name of a tool"},
		{"broken arguments", "-- a --\ncall a {\"q\n", "x.trace:2: call: \"{\\\"q\" is no JSON; arguments that are none begin with raw"},
		{"an answer to nothing", "-- a --\nuser x\nresult ok\n", "x.trace:3: result: there is no open call for it to answer"},
		{"an answer to another", "-- a --\ncall a {}\nresult ok [call=c9]\n", "x.trace:3: result: there is no open call for it to answer"},
		{"two answers", "-- a --\ncall a {}\nresult ok\nresult ok\n", "x.trace:4: result: there is no open call for it to answer"},
		{"a bar without a call", "-- a --\nuser x\n| call a {}\n", "x.trace:3: | wants a call before it"},
		{"a bar on a result", "-- a --\ncall a {}\n| result x\n", "x.trace:3: | joins a call to the round of the call before it, and nothing else"},
		{"want on no event", "-- a --\nuser x\nwait 3s  # want\n", "x.trace:3: want: the line is no event, nothing can fire on it"},
		{"want of no word", "-- a --\nuser x  # want Halt!\n", `x.trace:2: want: "Halt!" is neither a kind of control nor a detector`},
		{"a bad wait", "-- a --\nwait long\n", `x.trace:2: wait: "long" is no duration above 0 and up to 1000h0m0s`},
		{"a wait back", "-- a --\nwait -3s\n", `x.trace:2: wait: "-3s" is no duration above 0 and up to 1000h0m0s`},
		{"a bad round", "-- a --\nround 0\n", `x.trace:2: round: "0" is no round from 1`},
		{"a bad origin", "-- a --\norigin me\n", `x.trace:2: origin: "me" is neither agent nor loopwatch`},
		{"a bad run", "-- a --\nrun a.b\n", "x.trace:2: run: wants a name, and parent=NAME or nothing"},
		{"its own parent", "-- a --\nrun b parent=b\nuser x\n", "x.trace:3: user: "},
		{"a set without a value", "-- a --\nset policy\n", "x.trace:2: set: wants a key and a value"},
		{"again of nothing", "-- a --\nagain\n", "x.trace:2: again: wants an event before it"},
		{"again and more", "-- a --\nuser x\nagain and again\n", "x.trace:3: again: stands alone"},
		{"an unknown status", "-- a --\nend happy\n", "x.trace:2: end: "},
		{"an unknown field", "-- a --\nstart {\"tool\":[]}\n", "x.trace:2: start: "},
		{"a mistyped field", "-- a --\nturn hm {\"asks\":3}\n", "x.trace:2: turn: "},
		{"a code on a result", "-- a --\ncall a {}\nresult x [code=3]\n", "x.trace:3: result: option code: only an error has one"},
		{"an option without its value", "-- a --\ncall a {}\nresult x [ms]\n", "x.trace:3: result: option ms: a value where none belongs, or none where one does"},
		{"an option with a value too many", "-- a --\ncall a {}\nresult x [changed=1]\n", "x.trace:3: result: option changed: a value where none belongs, or none where one does"},
		{"a duration in words", "-- a --\ncall a {}\nresult x [ms=long]\n", `x.trace:3: result: option ms: "long" is no number`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse("x.trace", []byte(tt.body))
			if err == nil {
				t.Fatal("it was read")
			}
			if got != nil {
				t.Error("sections beside an error")
			}
			if !strings.Contains("\n"+err.Error(), "\n"+tt.want) {
				t.Errorf("error\n%s\nwant a line beginning with\n%s", err, tt.want)
			}
		})
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	_, err := Parse("x.trace", []byte("-- a --\ncall\nlook\nuser x\nresult y\n"))
	if err == nil {
		t.Fatal("it was read")
	}
	if n := len(strings.Split(err.Error(), "\n")); n != 3 {
		t.Errorf("%d faults, want 3:\n%s", n, err)
	}
}

// FuzzParse: whatever the text, a section is made of valid events with
// ascending positions, and the same text gives the same answer.
func FuzzParse(f *testing.F) {
	f.Add("-- a --\nstart {}\nturn x {\"cost_usd\":1}\ncall a {\"q\":[1]}\n| call b raw {\nresult {\"x\":1} [call=c2 changed]\nerror no [code=4 retryable]  # want halt\n")
	f.Add("-- a --\nwait 3s\nround 4\nrun b parent=a\norigin loopwatch\nuser x\nagain  # want\nend done\nblocked {}\nack\n")
	f.Fuzz(func(t *testing.T, src string) {
		sections, err := Parse("f.trace", []byte(src))
		if err != nil && sections != nil {
			t.Fatal("sections beside an error")
		}
		for _, s := range sections {
			if len(s.Events) == 0 || len(s.Lines) != len(s.Events) {
				t.Fatalf("%d events on %d lines", len(s.Events), len(s.Lines))
			}
			for i, e := range s.Events {
				if err := e.Validate(); err != nil {
					t.Fatalf("line %d: %v", s.Lines[i], err)
				}
				if e.StreamSeq != uint64(i+1) {
					t.Fatalf("event %d stands at %d", i, e.StreamSeq)
				}
			}
			for _, w := range s.Wants {
				if w.At >= len(s.Events) || s.Lines[w.At] != w.Line {
					t.Fatalf("the want of line %d is on another", w.Line)
				}
			}
		}
	})
}
