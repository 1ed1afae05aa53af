package strictyaml

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// scalar writes a scalar; an empty string stands for absent.
func scalar(v reflect.Value) string {
	if d, ok := v.Interface().(time.Duration); ok {
		return span(d)
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case reflect.String:
		return text(v.String())
	}
	panic(fmt.Sprintf("strictyaml: a value of type %s cannot be written", v.Type()))
}

// span writes a duration without the zero units at its end: 10m, not 10m0s.
func span(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// text writes a string, quoted unless it can be nothing but text.
func text(s string) string {
	if s == "" || bare(s) {
		return s
	}
	return quote(s)
}

// key writes a key, which may be empty.
func key(s string) string {
	if s == "" {
		return `""`
	}
	return text(s)
}

// bare reports whether a string reads as itself without quotes: a word of
// ASCII letters, digits, _, - and . that begins with a letter and is none of
// the words that mean something else.
func bare(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if letter || i > 0 && (c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.') {
			continue
		}
		return false
	}
	switch strings.ToLower(s) {
	case "true", "false", "null":
		return false
	}
	return true
}

// quote writes a double-quoted string with the escapes that every YAML reader
// knows.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
