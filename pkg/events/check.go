package events

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Headers of messages on the bus.
const (
	HeaderMsgID = "Nats-Msg-Id" // the event's id
	HeaderCheck = "Lw-Check"    // a Check: the event asks for a verdict
	HeaderSig   = "Lw-Sig"      // key id and signature of a control or verdict
)

// Check is a worker's question beside an event: may it go on? The answer comes
// on the run's verdict subject for the token, if it can come by the deadline.
type Check struct {
	Token    string // a valid name, fresh for each question
	Deadline time.Time
}

// String returns the header's value.
func (c Check) String() string {
	return c.Token + "," + c.Deadline.UTC().Format(time.RFC3339Nano)
}

// ParseCheck reads the header's value; spaces around its two parts are
// tolerated. The event beside a header that does not parse counts all the
// same, only nobody can be answered.
func ParseCheck(header string) (Check, error) {
	token, deadline, ok := strings.Cut(header, ",")
	if !ok {
		return Check{}, errors.New("parse check: want token,deadline")
	}
	token = strings.TrimSpace(token)
	if !ValidName(token) {
		return Check{}, errors.New("parse check: the token is no name")
	}
	var t time.Time
	if err := t.UnmarshalText([]byte(strings.TrimSpace(deadline))); err != nil {
		return Check{}, fmt.Errorf("parse check deadline: %w", err)
	}
	if y := t.Year(); y < firstYear || y > lastYear {
		return Check{}, errors.New("parse check: the deadline is out of range")
	}
	return Check{Token: token, Deadline: t.UTC()}, nil
}
