package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// BenchmarkChat tells a document of a thousand steps; bytes are the document's.
func BenchmarkChat(b *testing.B) {
	var doc strings.Builder
	doc.WriteString(`{"messages":[{"role":"user","content":"go"}`)
	for i := range 1000 {
		fmt.Fprintf(&doc, `,{"role":"assistant","tool_calls":[{"id":"c%d","function":{"name":"read","arguments":"{\"path\":\"f%d\"}"}}]},{"role":"tool","tool_call_id":"c%d","content":"%s"}`,
			i, i, i, strings.Repeat("a line of text ", 50))
	}
	doc.WriteString("]}")
	text := doc.String()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		err := Read("f", strings.NewReader(text), Auto, func(events.Event, []byte) error { return nil }, func(f replay.Fault) { b.Error(f) })
		if err != nil {
			b.Fatal(err)
		}
	}
}
