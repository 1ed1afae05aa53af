package report

import (
	"testing"
	"time"
)

func TestHintsFollowTheirRules(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    classSum
		want string
	}{
		{"asks to try again", classSum{Class: Class{Kind: "error", Text: "busy", Runs: 3}, retryable: 2}, hintRetryable},
		{"asks so in too few runs", classSum{Class: Class{Kind: "error", Text: "the printer is jammed", Runs: 3}, retryable: 1}, ""},
		{"says nothing", classSum{Class: Class{Kind: "error", Text: "Error: exit status 1 (500)", Runs: 1}}, hintMute},
		{"names the cause", classSum{Class: Class{Kind: "error", Text: "exit status 1: parser expects a comma", Runs: 1}}, ""},
		{"gives up", classSum{Class: Class{Kind: "error", Text: "order is archived", Runs: 4}, closed: 2, blocked: 1, needs: "a key"}, hintCapability},
		{"an answer that makes some give up", classSum{Class: Class{Kind: "answer", Text: "archived", Runs: 4}, closed: 4, blocked: 2}, hintCapability},
		{"gives up seldom", classSum{Class: Class{Kind: "error", Text: "order is archived", Runs: 4}, closed: 4, blocked: 1}, ""},
		{"cannot be met", classSum{Class: Class{Kind: "error", Text: "want an id of the house", Runs: 2}, adjusted: 1}, hintConstraint},
		{"answers without resolving", classSum{Class: Class{Kind: "answer", Text: "no scans", Runs: 2}}, hintUnresolved},
		{"the rest", classSum{Class: Class{Kind: other, Runs: 2}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, because := tt.c.hint()
			if got != tt.want || (because == "") != (tt.want == "") {
				t.Errorf("hint %q because %q, want %q", got, because, tt.want)
			}
			if got != "" && Hints[got] == "" {
				t.Errorf("hint %s is not explained", got)
			}
		})
	}
}

func TestKindsOfBlockers(t *testing.T) {
	for _, tt := range []struct{ a, b string }{
		{"order 4471 is archived", "Order 9 is archived."},
		{"no  access to\nbilling", "No access to billing!"},
		{"needs id A-17, B-18", "needs id A-1"},
	} {
		if kindOf(tt.a) != kindOf(tt.b) {
			t.Errorf("%q and %q are two kinds: %q, %q", tt.a, tt.b, kindOf(tt.a), kindOf(tt.b))
		}
	}
	if kindOf("order is archived") == kindOf("order is locked") || kindOf("") != "" {
		t.Error("two blockers are one kind")
	}
}

func TestParseTime(t *testing.T) {
	now := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		text string
		want time.Time
		ok   bool
	}{
		{"", time.Time{}, true},
		{"24h", now.Add(-24 * time.Hour), true},
		{"2026-03-01T00:00:00Z", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), true},
		{"-1h", time.Time{}, false},
		{"yesterday", time.Time{}, false},
	} {
		got, err := ParseTime(tt.text, now)
		if !got.Equal(tt.want) || (err == nil) != tt.ok {
			t.Errorf("%q: %v, %v; want %v", tt.text, got, err, tt.want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{number(1234567), "1,234,567"}, {number(999), "999"}, {number(2.5), "2.5"}, {number(0), "0"},
		{share(1, 4), "1/4 (25 %)"}, {share(0, 0), "-"}, {points(-0.074), "-7"},
		{bounds(Rate{Runs: 4, AtLeast: 0.0127, AtMost: 0.751}), "1–76 %"}, {bounds(Rate{}), "-"},
		{counts(map[string]int{"b": 2, "a": 2, "c": 9}), "c 9, a 2, b 2"},
		{span(time.Hour), "1h"}, {span(90 * time.Minute), "1h30m"}, {span(90 * time.Second), "1m30s"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
