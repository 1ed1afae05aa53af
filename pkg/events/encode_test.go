package events_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestEncodeGivesTheEventAgain(t *testing.T) {
	for _, line := range lines(t, exampleFile) {
		want := decode(t, string(line))
		data, err := events.Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(data) {
			t.Fatalf("encoding is no JSON: %s", data)
		}
		if diff := cmp.Diff(want, decode(t, string(data))); diff != "" {
			t.Errorf("%s (-before +after):\n%s", want.ID, diff)
		}
		if again, _ := events.Encode(decode(t, string(data))); string(again) != string(data) {
			t.Errorf("encoding differs:\n%s\n%s", data, again)
		}
	}
}

func TestEncodeKeepsRawJSON(t *testing.T) {
	for _, raw := range []string{`"\u0041\/ż\u017c"`, `[1.50,-0,1e400,9007199254740993]`, `{"b":1,"a":{"<":">"}}`, `null`, `""`, `{}`} {
		e := decode(t, full(t, events.ToolResult))
		e.Result.Content = events.RawJSON(raw)
		data, err := events.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if got := decode(t, string(data)).Result.Content; string(got) != raw {
			t.Errorf("%s became %s", raw, got)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	e := decode(t, full(t, events.ToolCall))
	tests := []struct {
		name string
		harm func(*events.Call)
	}{
		{"raw JSON that is none", func(c *events.Call) { c.Args = events.RawJSON(`{"a"`) }},
		{"raw JSON with a name twice", func(c *events.Call) { c.Args = events.RawJSON(`{"a":1,"a":2}`) }},
		{"a string that is not UTF-8", func(c *events.Call) { c.RawArgs = "\xff" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			broken, call := e, *e.Call
			tt.harm(&call)
			broken.Call = &call
			if data, err := events.Encode(broken); err == nil {
				t.Errorf("encoded as %s", data)
			}
		})
	}
}

func TestEncodeIsOneLineInUTC(t *testing.T) {
	e := decode(t, full(t, events.ToolCall))
	e.Time = e.Time.In(time.FixedZone("", 3600))
	e.Call.Args = events.RawJSON("{\n  \"a\": 1\n}")
	data, err := events.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"v":1,"id":"01JGTZ5X0Q8M3V9K7R2B4N6D03","kind":"tool_call","tenant":"shop","agent":"support","task":"ticket-7","run":"ticket-7-a","seq":3,"time":"2026-01-05T09:00:03.000000001Z","round":1,"call":{"id":"c1","tool":"track_parcel","args":{"a":1},"timeout_ms":5000}}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
}
