package ingest

import (
	"bufio"
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// isLines reports whether a file holds one JSON value a line. It does where
// its first line is a whole value; and where it is not, but other lines are
// while the beginning as a whole is no JSON: then the first line is broken.
func isLines(r *bufio.Reader) bool {
	seen, _ := r.Peek(peek) // less where the file is shorter
	first, rest, ok := bytes.Cut(bytes.TrimLeft(seen, " \t\r\n"), []byte("\n"))
	if jsontext.Value(first).IsValid(lenient) {
		return true
	}
	if !ok || wellBegun(seen) {
		return false
	}
	for line := range bytes.Lines(rest) {
		if line = bytes.TrimSpace(line); len(line) > 2 && line[0] == '{' && jsontext.Value(line).IsValid(lenient) {
			return true
		}
	}
	return false
}

// wellBegun reports whether a text may be the beginning of JSON values.
func wellBegun(seen []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewReader(seen), lenient)
	for {
		if _, err := dec.ReadToken(); err != nil {
			return ended(err)
		}
	}
}
