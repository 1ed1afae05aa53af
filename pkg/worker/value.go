package worker

import (
	stdjson "encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// arguments takes the arguments of a call. Text (a string or bytes) is what
// the model wrote: JSON where it can be parsed, raw text where it cannot, none
// where it is empty. Anything else is marshalled.
func arguments(args any) (parsed events.RawJSON, raw string, err error) {
	written, ok := written(args)
	switch {
	case args == nil, ok && strings.TrimSpace(written) == "":
		return nil, "", nil
	case !ok:
		parsed, err = marshal(args)
		return parsed, "", err
	}
	v := jsontext.Value(written)
	if v.IsValid() && v.Compact() == nil {
		return events.RawJSON(v), "", nil
	}
	return nil, written, nil
}

// content takes what a tool gave. Bytes that are JSON are taken as such, other
// bytes as text; anything else is marshalled, a string as text.
func content(v any) (events.RawJSON, error) {
	_, text := v.(string)
	written, ok := written(v)
	switch {
	case v == nil:
		return nil, nil
	case !ok || text:
		return marshal(v)
	}
	if raw := jsontext.Value(written); raw.IsValid() && raw.Compact() == nil {
		return events.RawJSON(raw), nil
	}
	return marshal(written)
}

// written returns text and bytes of every kind as a string.
func written(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	case stdjson.RawMessage:
		return string(v), true
	case jsontext.Value:
		return string(v), true
	case events.RawJSON:
		return string(v), true
	}
	return "", false
}

// marshal encodes a value the same way every time; what is not UTF-8 is
// replaced.
func marshal(v any) (events.RawJSON, error) {
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b, nil
}
