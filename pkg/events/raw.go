package events

// RawJSON is one JSON value exactly as the worker wrote it, already checked to
// be well-formed. Nil means absent.
type RawJSON []byte

// MarshalJSON returns the value itself, and null where it is absent.
func (r RawJSON) MarshalJSON() ([]byte, error) {
	if r == nil {
		return []byte("null"), nil
	}
	return r, nil
}

// UnmarshalJSON keeps a copy of the value.
func (r *RawJSON) UnmarshalJSON(b []byte) error {
	*r = append((*r)[:0:0], b...)
	return nil
}
