package processor

import (
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestATenantHasItsShareOfDeadLetters(t *testing.T) {
	l := letters{most: 2, hour: map[int]time.Time{}, count: map[share]int{}}
	at := time.Date(2026, 1, 1, 9, 59, 0, 0, time.UTC)
	loud, quiet := events.PartitionSubject(0, "loud", "a"), events.PartitionSubject(0, "quiet", "a")
	for i, c := range []struct {
		partition int
		subject   string
		stored    time.Time
		want      bool
	}{
		{0, loud, at, true}, {0, loud, at, true}, {0, loud, at, false}, {0, loud, at.Add(30 * time.Second), false},
		{0, events.PartitionSubject(0, "loud", "another"), at, false}, // the agent does not matter
		{0, quiet, at, true}, {1, loud, at, true},
		{0, events.ReservedSubject(0, events.OperatorAct), at, true}, {0, events.ReservedSubject(0, events.OperatorAct), at, true},
		{0, events.ReservedSubject(0, events.OperatorAct), at, true}, {0, "no subject of ours", at, true},
		{0, loud, at.Add(time.Minute), true}, {1, loud, at, true}, {1, loud, at, false}, // the next hour of partition 0 alone
	} {
		if got := l.room(c.partition, c.subject, c.stored); got != c.want {
			t.Errorf("letter %d on %d, %s at %s: room is %v", i, c.partition, c.subject, c.stored.Format(time.TimeOnly), got)
		}
	}
}
