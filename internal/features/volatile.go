package features

import "bytes"

// volatileField returns the length of the volatile field's name that text
// begins with, 0 where there is none.
func volatileField(text []byte, names []string) int {
	for _, name := range names {
		if n := len(name); n > 0 && bytes.HasPrefix(text, []byte(name)) && !wordAt(text, n) {
			return n
		}
	}
	return 0
}

// volatileValue returns where the value stands that follows a field's name
// ending at i, as in name: value, name=value and "name": "value".
func volatileValue(text []byte, i int) (from, end int) {
	if i < len(text) && (text[i] == '"' || text[i] == '\'') {
		i++
	}
	for i < len(text) && text[i] == ' ' {
		i++
	}
	if i >= len(text) || text[i] != ':' && text[i] != '=' {
		return i, i
	}
	stops := "\n,;}"
	if text[i] == '=' {
		stops = "\n,;& \t"
	}
	i++
	for i < len(text) && text[i] == ' ' {
		i++
	}
	if bytes.HasPrefix(text[i:], []byte("<v>")) {
		return i, i + 3 // masked before
	}
	if i < len(text) && (text[i] == '"' || text[i] == '\'') {
		return i, quoteEnd(text, i)
	}
	if n := bytes.IndexAny(text[i:], stops); n >= 0 {
		return i, i + n
	}
	return i, len(text)
}
