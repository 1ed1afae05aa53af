package ingest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// where says where in a file a record stands: the line it begins on, and the
// path from the document's own value, empty for that.
type where struct {
	line int
	path string
}

// in is the place of a member.
func (w where) in(member string) where {
	if w.path != "" && member != "" && member[0] != '[' {
		member = "." + member
	}
	return where{line: w.line, path: w.path + member}
}

// item is the place of an item of an array.
func (w where) item(i int) where { return where{line: w.line, path: fmt.Sprintf("%s[%d]", w.path, i)} }

// flaw is what a transcript does wrong, with its path; a fault adds the file.
type flaw struct {
	at   where
	want string
}

// Error names path and expectation.
func (f flaw) Error() string {
	if f.at.path == "" {
		return f.want
	}
	return f.at.path + ": " + f.want
}

// lenient accepts what other systems write and we do not need to judge.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// decode reads a record; a value of the wrong type is a flaw with its path.
func decode(raw []byte, into any, at where) error {
	err := json.Unmarshal(raw, into, lenient)
	if err == nil {
		return nil
	}
	var s *json.SemanticError
	if !errors.As(err, &s) {
		return flaw{at, "cannot be read"}
	}
	for token := range s.JSONPointer.Tokens() {
		if token != "" && strings.Trim(token, "0123456789") == "" {
			at.path += "[" + token + "]"
			continue
		}
		at = at.in(token)
	}
	return flaw{at, "want " + wanted(s.GoType) + ", got " + kindName(s.JSONKind)}
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
	case reflect.Int64:
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
