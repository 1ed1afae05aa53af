package processor

import (
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// defaultLetters is how many dead letters of a tenant a partition stores in an
// hour of stored time.
const defaultLetters = 1000

// letters counts the dead letters of the hour, so that a tenant that sends
// nothing but junk does not fill the stream of all. What exceeds the share is
// counted, not stored: its event is refused all the same, and who reads the
// stream refuses it for the same reason. What stands on our own subjects is
// always stored, for its reason cannot be seen in the stream.
type letters struct {
	most  int
	hour  map[int]time.Time // of a partition's newest letter
	count map[share]int
}

type share struct {
	partition int
	tenant    string
}

// room reports whether a dead letter is to be stored, and counts it.
func (l *letters) room(partition int, subject string, stored time.Time) bool {
	place, ok := events.ParsePartitionSubject(subject)
	if !ok || place.Tenant == "" {
		return true
	}
	if hour := stored.Truncate(time.Hour); !hour.Equal(l.hour[partition]) {
		l.hour[partition] = hour
		for s := range l.count {
			if s.partition == partition {
				delete(l.count, s)
			}
		}
	}
	s := share{partition, place.Tenant}
	l.count[s]++
	return l.count[s] <= l.most
}
