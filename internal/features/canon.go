package features

import "bytes"

// canonical appends the canonical form of a JSON value to b.
func canonical(b, raw []byte) []byte { return append(b, bytes.TrimSpace(raw)...) }
