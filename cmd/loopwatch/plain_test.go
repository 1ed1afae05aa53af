package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/eval"
	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// trick clears a terminal, names its window, and writes a line of its own.
const trick = "a\x1b[2J\x1b]0;t\x07\u009b31m\r\u202eb\u200b\u2028c\x00"

func TestPlain(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"text":          {"wrong: «ä 漢» – 50 %\n\tand 👍\n", "wrong: «ä 漢» – 50 %\n\tand 👍\n"},
		"a bar":         {"\r[###] 3 of 9", "\r[###] 3 of 9"},
		"a trick":       {trick, `a\x1b[2J\x1b]0;t\a\u009b31m\r\u202eb\u200b\u2028c\x00`},
		"no characters": {"a\xff\x9bb", `a\xff\x9bb`},
		"nothing":       {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			n, err := plain{&b}.Write([]byte(c.in))
			if b.String() != c.want || n != len(c.in) || err != nil {
				t.Errorf("%q, %d, %v, want %q", b.String(), n, err, c.want)
			}
		})
	}
}

// No name that is typed or read reaches the terminal as it is.
func TestErrorsArePlain(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lines, keys := write("a\x1b[31m.jsonl", "{bad\n"), write("k.yaml", `"a\e[31m": 1`)
	for _, args := range [][]string{
		{"replay", lines}, {"replay", "no\x1b[31m"}, {"show", "x", "--file", lines}, {"report", "all", "--file", lines},
		{"policy", "check", keys}, {"policy", "check", "no\x1b[31m"}, {"detectors", "a\x1b[31m"}, {"a\x1b[31m"}, {"--a\x1b[31m"},
		{"eval", "--labels", lines, lines},
	} {
		var out, errw bytes.Buffer
		code := execute(context.Background(), args, strings.NewReader(""), &out, &errw)
		if all := out.String() + errw.String(); strings.Contains(all, "\x1b") || !strings.Contains(all, `\x1b`) && args[0] != "report" {
			t.Errorf("%q: %d %q", args, code, all)
		}
	}
}

// Operators and readers of runs write free text; it is shown in one line.
func TestWhatPeopleWroteIsPlain(t *testing.T) {
	h := halted{Halts: []fleet.ScopeHalt{{Scope: events.Scope{Agent: "support"}, By: trick, Reason: trick, Until: time.Now()}}}
	var halts, found bytes.Buffer
	if err := h.print(streams{out: &halts}); err != nil {
		t.Fatal(err)
	}
	m := measured{name: "default", Runs: []eval.Verdict{{Run: "r1", Label: eval.Loop, Why: trick, File: "a"}}}
	m.Sources = map[string]eval.Group{trick: {}}
	c := evalCmd{Labels: "l", Verbose: true}
	if err := c.print([]measured{m}, streams{out: &found}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{halts.String(), found.String()} {
		if strings.ContainsAny(text, "\x1b\a\r\u009b\u202e\u200b\u2028\x00") {
			t.Errorf("%q", text)
		}
	}
}
