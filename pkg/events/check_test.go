package events_test

import (
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestCheckRoundTrip(t *testing.T) {
	for _, deadline := range []time.Time{
		time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC),
		time.Date(2026, 1, 5, 9, 0, 0, 123456789, time.FixedZone("", -5*3600)),
	} {
		want := events.Check{Token: "01JGTZ", Deadline: deadline.UTC()}
		got, err := events.ParseCheck(events.Check{Token: "01JGTZ", Deadline: deadline}.String())
		if err != nil || got != want {
			t.Errorf("got %+v (%v), want %+v", got, err, want)
		}
	}
}

func TestParseCheck(t *testing.T) {
	nine := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	tests := []struct {
		name, header string
		want         events.Check // zero where it does not parse
	}{
		{"as written", "tok-1,2026-01-05T09:00:00Z", events.Check{Token: "tok-1", Deadline: nine}},
		{"another zone", "tok,2026-01-05T11:00:00+02:00", events.Check{Token: "tok", Deadline: nine}},
		{"spaces", " tok , 2026-01-05T09:00:00.000Z ", events.Check{Token: "tok", Deadline: nine}},
		{"empty", "", events.Check{}},
		{"token only", "tok", events.Check{}},
		{"no token", ",2026-01-05T09:00:00Z", events.Check{}},
		{"token with a dot", "a.b,2026-01-05T09:00:00Z", events.Check{}},
		{"token with a wildcard", ">,2026-01-05T09:00:00Z", events.Check{}},
		{"reserved token", "_lw,2026-01-05T09:00:00Z", events.Check{}},
		{"long token", strings.Repeat("a", 129) + ",2026-01-05T09:00:00Z", events.Check{}},
		{"no deadline", "tok,", events.Check{}},
		{"deadline without zone", "tok,2026-01-05T09:00:00", events.Check{}},
		{"deadline as a duration", "tok,5s", events.Check{}},
		{"deadline far ahead", "tok,9999-01-05T09:00:00Z", events.Check{}},
		{"a third part", "tok,2026-01-05T09:00:00Z,x", events.Check{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := events.ParseCheck(tt.header)
			if got != tt.want || (err == nil) != (tt.want != events.Check{}) {
				t.Errorf("got %+v (%v), want %+v", got, err, tt.want)
			}
		})
	}
}
