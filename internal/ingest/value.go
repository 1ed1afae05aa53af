package ingest

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// value is any JSON value, as it stands in the transcript.
type value = jsontext.Value

// present reports whether a value is there and not null.
func present(v value) bool { return len(v) > 0 && v.Kind() != 'n' }

// str is the string a value holds, empty where it is none.
func str(v value) string {
	if !present(v) || v.Kind() != '"' {
		return ""
	}
	s, _ := jsontext.AppendUnquote(nil, v) // what is not UTF-8 is replaced
	return strings.ToValidUTF8(string(s), "\uFFFD")
}

// strict is a value as an event may carry it: compact, valid UTF-8, no name
// twice in an object, not too deep. It reports false where it cannot be.
func strict(v value) (events.RawJSON, bool) {
	out := value(bytes.Clone(v))
	if !out.IsValid() && out.Format(jsontext.AllowInvalidUTF8(true)) != nil || !out.IsValid() || out.Compact() != nil {
		return nil, false
	}
	return events.RawJSON(out), true
}

// quoted is a text as JSON.
func quoted(s string) events.RawJSON {
	out, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD")) // valid now
	return out
}

// arguments are those of a call, written as JSON text or as a value of their
// own. Text that is no JSON is raw.
func arguments(v value) (args events.RawJSON, raw string) {
	if !present(v) {
		return nil, ""
	}
	written := v
	if v.Kind() == '"' {
		text := str(v)
		if strings.TrimSpace(text) == "" {
			return nil, ""
		}
		written = value(text)
	}
	if args, ok := strict(written); ok {
		return args, ""
	}
	return nil, strings.ToValidUTF8(string(written), "\uFFFD")
}

// content is what a tool gave: a text, the text of blocks where all of them
// are text, or else the value itself.
func content(v value) events.RawJSON {
	if !present(v) {
		return nil
	}
	if text, all := texts(v); all {
		return quoted(text)
	}
	if raw, ok := strict(v); ok {
		return raw
	}
	return quoted(string(v))
}

// block is a part of a message in any of the formats.
type block struct {
	Type    string `json:"type"`
	Text    value  `json:"text"`
	Content value  `json:"content"` // the text of an OpenTelemetry part
	Refusal value  `json:"refusal"`
}

// words is the text of a block, and whether it is one.
func (b block) words() (string, bool) {
	switch b.Type {
	case "text", "input_text", "output_text", "summary_text":
		return str(b.Text) + str(b.Content), true
	case "refusal":
		return str(b.Refusal), true
	}
	return "", false
}

// texts joins the text of a message's content: a string, or an array of blocks
// and strings. It reports whether that is all there was.
func texts(v value) (string, bool) {
	switch {
	case !present(v):
		return "", true
	case v.Kind() == '"':
		return str(v), true
	case v.Kind() != '[':
		return "", false
	}
	var parts []value
	if json.Unmarshal(v, &parts, lenient) != nil {
		return "", false
	}
	var out []string
	all := len(parts) > 0
	for _, p := range parts {
		if p.Kind() == '"' {
			out = append(out, str(p))
			continue
		}
		var b block
		words, ok := "", json.Unmarshal(p, &b, lenient) == nil
		if ok {
			words, ok = b.words()
		}
		if all = all && ok; ok {
			out = append(out, words)
		}
	}
	return strings.Join(out, "\n"), all
}

// instant reads a time: RFC 3339, or a number of seconds, milliseconds,
// microseconds or nanoseconds since 1970, told apart by size. The zero time
// where it is neither, or beyond the years an event may have.
func instant(v value) time.Time {
	if !present(v) {
		return time.Time{}
	}
	var t time.Time
	if s := str(v); v.Kind() == '"' && t.UnmarshalText([]byte(s)) == nil {
		return within(t)
	} else if v.Kind() == '"' {
		v = value(s)
	}
	var n float64
	if v.Kind() != '0' || json.Unmarshal(v, &n) != nil || n <= 0 {
		return time.Time{}
	}
	if n < 1e17 && !bytes.ContainsAny(v, ".eE") || n >= 1e17 {
		var whole int64
		if json.Unmarshal(v, &whole) == nil {
			return within(since(whole))
		}
	}
	if n < 1e11 {
		return within(time.UnixMicro(int64(n * 1e6)).UTC())
	}
	return within(since(int64(min(n, 9e18))))
}

func since(n int64) time.Time {
	switch {
	case n < 1e11:
		return time.Unix(n, 0).UTC()
	case n < 1e14:
		return time.UnixMilli(n).UTC()
	case n < 1e17:
		return time.UnixMicro(n).UTC()
	}
	return time.Unix(0, n).UTC()
}

func within(t time.Time) time.Time {
	if t.Year() < 1700 || t.Year() > 2260 {
		return time.Time{}
	}
	return t.UTC()
}

// plain makes an event of what could not be told as it is: values become text.
func plain(e *events.Event) {
	switch {
	case e.Call != nil && e.Call.Args != nil:
		e.Call.Args, e.Call.RawArgs = nil, strings.ToValidUTF8(string(e.Call.Args), "\uFFFD")
	case e.Result != nil && e.Result.Content != nil:
		e.Result.Content = quoted(string(e.Result.Content))
	case e.Turn != nil:
		e.Turn.State, e.Turn.Usage, e.Turn.CostUSD = nil, nil, nil
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
