package events

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// verbatim keeps the strings inside RawJSON as the worker escaped them.
var verbatim = jsontext.PreserveRawStrings(true)

// Encode returns the wire form of an event: one line of JSON without a newline,
// the same bytes for the same event. Times are in UTC; origin agent, being the
// default, is left out. Decoding it gives the event again. It fails where a
// string is not UTF-8 or a RawJSON is not JSON, and does not Validate.
func Encode(e Event) ([]byte, error) {
	e.Time, e.Stored = e.Time.UTC(), e.Stored.UTC()
	if e.Origin == FromAgent {
		e.Origin = ""
	}
	data, err := json.Marshal(&e, verbatim)
	if err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	return data, nil
}
