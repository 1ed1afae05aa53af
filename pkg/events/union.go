package events

import (
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Names is a sorted list of distinct field names. On the wire it is an array
// of them, or an object whose names they are; a member that is null or "" is a
// field not held and is left out. Nil means none.
type Names []string

// UnmarshalJSONFrom reads either form.
func (n *Names) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*n = nil
	var err error
	switch kind := dec.PeekKind(); kind {
	case 'n':
		return dec.SkipValue()
	case '{':
		err = n.readMembers(dec)
	case '[':
		err = n.readItems(dec)
	default:
		return &json.SemanticError{JSONKind: kind, GoType: reflect.TypeFor[Names]()}
	}
	slices.Sort(*n)
	*n = slices.Compact(*n)
	return err
}

func (n *Names) readMembers(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() == '"' {
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if s := string(value); s != "null" && s != `""` {
			*n = append(*n, name)
		}
	}
	_, err := dec.ReadToken()
	return err
}

func (n *Names) readItems(dec *jsontext.Decoder) error {
	var items []string
	if err := json.UnmarshalDecode(dec, &items); err != nil {
		return err
	}
	if len(items) > 0 {
		*n = items
	}
	return nil
}

// UnmarshalJSONFrom reads an error whose code is a string or a number.
func (e *Error) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var w struct {
		Message   string `json:"message"`
		Code      code   `json:"code"`
		Retryable bool   `json:"retryable"`
	}
	if err := json.UnmarshalDecode(dec, &w); err != nil {
		return err
	}
	*e = Error{Message: w.Message, Code: string(w.Code), Retryable: w.Retryable}
	return nil
}

// code is a string, or a number taken as its text.
type code string

func (c *code) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch kind := dec.PeekKind(); kind {
	case 'n':
		*c = ""
		return dec.SkipValue()
	case '"', '0':
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		*c = code(token.String())
		return nil
	default:
		return &json.SemanticError{JSONKind: kind, GoType: reflect.TypeFor[code]()}
	}
}
