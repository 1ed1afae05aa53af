package ingest

import (
	"fmt"
	"slices"
	"strings"
)

// Format names how a file tells its runs. The zero value means by content.
type Format string

// The formats that are read.
const (
	Auto            Format = ""
	Loopwatch       Format = "loopwatch"        // our own trace
	OpenAIChat      Format = "openai-chat"      // chat completions messages
	OpenAIResponses Format = "openai-responses" // items of the responses API
	Anthropic       Format = "anthropic"        // messages of content blocks
	ClaudeCode      Format = "claude-code"      // session logs, one line a record
	SWEAgent        Format = "swe-agent"        // .traj files
	OTelGenAI       Format = "otel-genai"       // spans as OTLP/JSON
)

// Formats returns every format that can be named; the caller owns the slice.
func Formats() []Format {
	return []Format{Loopwatch, OpenAIChat, OpenAIResponses, Anthropic, ClaudeCode, SWEAgent, OTelGenAI}
}

// ParseFormat reads a format's name; the empty name is Auto.
func ParseFormat(name string) (Format, error) {
	f := Format(name)
	if f == Auto || slices.Contains(Formats(), f) {
		return f, nil
	}
	return Auto, fmt.Errorf("no format is named %q: want %s", name, names())
}

func names() string {
	all := Formats()
	out := make([]string, len(all))
	for i, f := range all {
		out[i] = string(f)
	}
	return strings.Join(out, ", ")
}

// streams are the members of a document whose items are records of their own,
// read one after another; everything else of an object is read whole.
var streams = map[Format][]string{
	OpenAIChat:      {"messages"},
	OpenAIResponses: {"input"},
	Anthropic:       {"messages"},
	SWEAgent:        {"trajectory", "history"},
	OTelGenAI:       {"resourceSpans"},
}

// newImporter returns what reads the records of a format.
func newImporter(f Format, t *teller) importer {
	switch f {
	case OpenAIChat:
		return &chat{teller: t}
	case OpenAIResponses:
		return &responses{teller: t}
	case Anthropic:
		return &anthropic{teller: t}
	case ClaudeCode:
		return newClaudeCode(t)
	case SWEAgent:
		return &sweAgent{teller: t}
	}
	return newOTel(t)
}
