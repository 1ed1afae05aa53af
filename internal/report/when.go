package report

import (
	"fmt"
	"time"
)

// ParseTime reads a time (RFC 3339), or how long before now something was
// (24h); empty is the zero time.
func ParseTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fmt.Errorf("%q is neither a time such as 2027-01-31T08:00:00Z nor a duration such as 24h", text)
	}
	return t, nil
}
