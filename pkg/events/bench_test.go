package events_test

import (
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// A tool call and a tool result of the size that recorded runs have on average.
var benchInputs = []struct{ name, line string }{
	{"call 700 B", `{"v":1,"id":"01JGTZ5X0Q8M3V9K7R2B4N6D1F","kind":"tool_call","tenant":"default","agent":"coder","task":"fix-1733","run":"fix-1733-a","seq":17,"time":"2026-01-05T09:00:17.250Z","round":8,"call":{"id":"call_00_79DhQVlexSEtrTntchMWCNgG","tool":"bash","args":{"command":"` + strings.Repeat("grep -rn \\\"lint\\\" src | head; ", 15) + `"}}}`},
	{"result 900 B", `{"v":1,"id":"01JGTZ5X0Q8M3V9K7R2B4N6D1G","kind":"tool_result","tenant":"default","agent":"coder","task":"fix-1733","run":"fix-1733-a","seq":18,"time":"2026-01-05T09:00:18.250Z","round":8,"result":{"call_id":"call_00_79DhQVlexSEtrTntchMWCNgG","tool":"bash","content":"` + strings.Repeat("src/rules/L003.py:17:  x\\n", 25) + `"}}`},
}

func BenchmarkDecode(b *testing.B) {
	for _, in := range benchInputs {
		b.Run(in.name, func(b *testing.B) {
			data := []byte(in.line)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := events.Decode(data, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	e, err := events.Decode([]byte(benchInputs[0].line), 0)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := events.Encode(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPartition(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		events.Partition("default", "fix-1733", 16)
	}
}
