package events

import "github.com/go-json-experiment/json/jsontext"

// RawJSON is one well-formed JSON value as the worker wrote it, number for
// number and escape for escape, without the white space between its tokens.
// Nil means absent; an explicit null is kept as such.
type RawJSON []byte

// MarshalJSON returns the value itself, and null where it is absent.
func (r RawJSON) MarshalJSON() ([]byte, error) {
	if r == nil {
		return []byte("null"), nil
	}
	return r, nil
}

// UnmarshalJSON keeps a compact copy of a well-formed value.
func (r *RawJSON) UnmarshalJSON(b []byte) error {
	*r = appendCompact(make([]byte, 0, len(b)), b)
	return nil
}

// UnmarshalJSONFrom keeps a compact copy of the next value.
func (r *RawJSON) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	return r.UnmarshalJSON(v)
}

// appendCompact copies well-formed JSON without the white space between tokens.
func appendCompact(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		switch src[i] {
		case ' ', '\t', '\r', '\n':
			i++
		case '"':
			end := stringEnd(src, i)
			dst = append(dst, src[i:end]...)
			i = end
		default:
			dst = append(dst, src[i])
			i++
		}
	}
	return dst
}

// stringEnd returns the index after the string that opens at i.
func stringEnd(src []byte, i int) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}
