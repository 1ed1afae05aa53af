package events

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// joinPath writes a pointer below a field the way people do: start.tools[2].effect.
func joinPath(prefix string, pointer jsontext.Pointer) string {
	var b strings.Builder
	b.WriteString(prefix)
	for token := range pointer.Tokens() {
		if token != "" && strings.Trim(token, "0123456789") == "" {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(token)
	}
	return b.String()
}

// contractPath keeps at most the first two names of a pointer, and only while
// they look like fields of the contract: deeper ones are a worker's own words,
// which no reject may repeat.
func contractPath(pointer jsontext.Pointer) string {
	var kept []string
	for token := range pointer.Tokens() {
		if len(kept) == 2 || len(token) > 24 || token == "" || strings.Trim(token, "abcdefghijklmnopqrstuvwxyz_") != "" {
			break
		}
		kept = append(kept, token)
	}
	return strings.Join(kept, ".")
}

// deeperThan reports whether arrays and objects open more than limit levels
// anywhere in the text, which need not be well-formed.
func deeperThan(data []byte, limit int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			if depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
