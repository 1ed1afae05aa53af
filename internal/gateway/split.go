package gateway

import (
	"bytes"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// lenient reads past what is judged item by item.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// split cuts a body into its items by what it looks like: the elements of an
// array, one value, or one item a line. The items alias the body; one that is
// broken is an item all the same, for its neighbours' sake. An error says that
// the body as a whole cannot be read.
func split(body []byte) ([][]byte, error) {
	body = bytes.TrimSpace(body)
	switch {
	case len(body) == 0:
		return nil, unreadable("the body is empty")
	case body[0] == '[':
		return elements(body)
	case whole(body):
		return [][]byte{body}, nil
	}
	var items [][]byte
	some := false
	for line := range bytes.Lines(body) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			items = append(items, line)
			some = some || whole(line)
		}
	}
	if !some {
		return nil, unreadable("the body is neither JSON nor lines of JSON")
	}
	return items, nil
}

// whole reports whether b is one JSON value.
func whole(b []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(b), lenient...)
	_, err := d.ReadValue()
	return err == nil && len(bytes.TrimSpace(b[d.InputOffset():])) == 0
}

// elements returns the elements of an array that is the whole body.
func elements(body []byte) ([][]byte, error) {
	d := jsontext.NewDecoder(bytes.NewReader(body), lenient...)
	if _, err := d.ReadToken(); err != nil {
		return nil, unreadable("the array cannot be read")
	}
	var items [][]byte
	for d.PeekKind() != ']' {
		v, err := d.ReadValue()
		if err != nil {
			return nil, unreadable("the array cannot be read as JSON")
		}
		end := d.InputOffset()
		items = append(items, body[end-int64(len(v)):end])
	}
	if _, err := d.ReadToken(); err != nil || len(bytes.TrimSpace(body[d.InputOffset():])) > 0 {
		return nil, unreadable("there is more behind the array")
	}
	return items, nil
}

func unreadable(why string) *Fault {
	return &Fault{
		Status: http.StatusBadRequest, Code: "unreadable", Message: why,
		Hint: "send one event, an array of events, or one event a line; nothing of this body was accepted",
	}
}
