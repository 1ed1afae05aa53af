package events

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deep arrays and objects may be nested in one event, the
// event itself included.
const MaxDepth = 10_000

// classify names what is wrong with a message that did not decode: first its
// syntax, then its version and kind, then the type of one field.
func classify(data []byte, err error) *Reject {
	if rej := badSyntax(data); rej != nil {
		return rej
	}
	if firstByte(data) != '{' {
		return reject(ReasonNotObject, "", "want one JSON object")
	}
	if rej := badHead(data); rej != nil {
		return rej
	}
	return mistyped("", err)
}

// badSyntax returns nil for exactly one well-formed value.
func badSyntax(data []byte) *Reject {
	err := syntaxError(data)
	if err == nil {
		return nil
	}
	at, field := place(err, data)
	lenient := syntaxError(data, jsontext.AllowInvalidUTF8(true))
	further, _ := place(lenient, data)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return reject(ReasonDuplicateKey, field, fmt.Sprintf("a name occurs twice in one object, at byte %d", at))
	case deeperThan(data[:at], MaxDepth-1):
		return reject(ReasonTooDeep, field, fmt.Sprintf("nested deeper than %d", MaxDepth))
	case lenient == nil || further > at:
		return reject(ReasonInvalidUTF8, field, fmt.Sprintf("not UTF-8, or half of a surrogate pair, at byte %d", at))
	}
	return reject(ReasonNotJSON, field, fmt.Sprintf("not one JSON value, at byte %d", at))
}

func syntaxError(data []byte, opts ...jsontext.Options) error {
	var v jsontext.Value
	return json.Unmarshal(data, &v, opts...)
}

// place returns the offset of a syntax error and the field it is in.
func place(err error, data []byte) (int64, string) {
	var s *jsontext.SyntacticError
	if !errors.As(err, &s) {
		return int64(len(data)), ""
	}
	return min(s.ByteOffset, int64(len(data))), contractPath(s.JSONPointer)
}

// badHead reads version and kind alone, whatever else is in the message.
func badHead(data []byte) *Reject {
	var head struct {
		V    jsontext.Value `json:"v"`
		Kind jsontext.Value `json:"kind"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return mistyped("", err)
	}
	var v float64
	if head.V.Kind() == '0' {
		if err := json.Unmarshal(head.V, &v); err != nil || v != Version {
			return wrongVersion()
		}
	}
	var kind Kind
	if head.Kind.Kind() == '"' && json.Unmarshal(head.Kind, &kind) == nil && kind != "" && !kind.Known() {
		return unknownKind()
	}
	return nil
}

// mistyped describes a value of the wrong JSON type, or a number or time that
// does not fit, inside the field named by prefix.
func mistyped(prefix string, err error) *Reject {
	var s *json.SemanticError
	if !errors.As(err, &s) {
		return reject(ReasonBadValue, prefix, "cannot be read")
	}
	field := joinPath(prefix, s.JSONPointer)
	if s.GoType == reflect.TypeFor[time.Time]() {
		return reject(ReasonBadTime, field, "want RFC 3339 with zone")
	}
	want, got := wanted(s.GoType), kindName(s.JSONKind)
	if s.JSONKind == '0' && strings.HasSuffix(want, "number") {
		return reject(ReasonBadValue, field, "out of range or not "+want)
	}
	return reject(ReasonBadValue, field, "want "+want+", got "+got)
}

func wanted(t reflect.Type) string {
	if t == nil {
		return "another type"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "something else"
}

func firstByte(data []byte) byte {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 {
		return 0
	}
	return data[0]
}
