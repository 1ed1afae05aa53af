package ingest

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The parts of OTLP/JSON that are read.
type (
	resourceSpans struct {
		Resource struct {
			Attributes attributes `json:"attributes"`
		} `json:"resource"`
		ScopeSpans []struct {
			Spans []otlpSpan `json:"spans"`
		} `json:"scopeSpans"`
	}

	otlpSpan struct {
		TraceID    string      `json:"traceId"`
		SpanID     string      `json:"spanId"`
		ParentID   string      `json:"parentSpanId"`
		Name       string      `json:"name"`
		Start      value       `json:"startTimeUnixNano"`
		End        value       `json:"endTimeUnixNano"`
		Attributes attributes  `json:"attributes"`
		Events     []spanEvent `json:"events"`
		Status     struct {
			Code    value  `json:"code"`
			Message string `json:"message"`
		} `json:"status"`
	}

	spanEvent struct {
		Name       string     `json:"name"`
		Attributes attributes `json:"attributes"`
	}

	attributes []struct {
		Key   string   `json:"key"`
		Value anyValue `json:"value"`
	}

	// anyValue is a value in OTLP's own wrapping.
	anyValue struct {
		String *string `json:"stringValue"`
		Bool   *bool   `json:"boolValue"`
		Int    value   `json:"intValue"` // a string of digits, or a number
		Double value   `json:"doubleValue"`
		Bytes  *string `json:"bytesValue"`
		Array  *struct {
			Values []anyValue `json:"values"`
		} `json:"arrayValue"`
		Map *struct {
			Values attributes `json:"values"`
		} `json:"kvlistValue"`
	}
)

// failed reports whether a span's status is an error.
func (s *otlpSpan) failed() bool {
	return str(s.Status.Code) == "STATUS_CODE_ERROR" || string(s.Status.Code) == "2"
}

// get returns an attribute as JSON, nil where it is absent.
func (a attributes) get(keys ...string) value {
	for _, key := range keys {
		for i := range a {
			if a[i].Key == key {
				return a[i].Value.json()
			}
		}
	}
	return nil
}

// text returns an attribute that is a string.
func (a attributes) text(keys ...string) string { return str(a.get(keys...)) }

// number returns an attribute that is a number, nil where it is none.
func (a attributes) number(keys ...string) *float64 {
	v := a.get(keys...)
	if v.Kind() == '"' {
		v = value(str(v))
	}
	var n float64
	if v.Kind() != '0' || json.Unmarshal(v, &n) != nil {
		return nil
	}
	return &n
}

// structured returns an attribute that holds JSON, as such or as its text.
func (a attributes) structured(keys ...string) value {
	v := a.get(keys...)
	if text := value(str(v)); len(text) > 0 && text.IsValid(lenient) {
		return text
	}
	return v
}

// json unwraps a value.
func (v *anyValue) json() value { return v.appendTo(nil) }

// appendTo appends the value to dst, so that nesting costs nothing.
func (v *anyValue) appendTo(dst value) value {
	switch {
	case v.String != nil:
		return append(dst, quoted(*v.String)...)
	case v.Bool != nil:
		return strconv.AppendBool(dst, *v.Bool)
	case v.Int.Kind() == '"' && value(str(v.Int)).IsValid() && value(str(v.Int)).Kind() == '0':
		return append(dst, str(v.Int)...)
	case present(v.Int):
		return append(dst, v.Int...)
	case present(v.Double):
		return append(dst, v.Double...)
	case v.Bytes != nil:
		return append(dst, quoted(*v.Bytes)...)
	case v.Array != nil:
		dst = append(dst, '[')
		for i := range v.Array.Values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.Array.Values[i].appendTo(dst)
		}
		return append(dst, ']')
	case v.Map != nil:
		return v.Map.Values.appendTo(dst)
	}
	return append(dst, "null"...)
}

func (a attributes) appendTo(dst value) value {
	dst = append(dst, '{')
	for i := range a {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst, _ = jsontext.AppendQuote(dst, a[i].Key) // what is not UTF-8 is replaced
		dst = a[i].Value.appendTo(append(dst, ':'))
	}
	return append(dst, '}')
}
