package natsbus

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// BenchmarkRead reads 16 partitions of 5,000 events, 600 bytes each, from the
// start to the end; the server runs in the same process.
func BenchmarkRead(b *testing.B) {
	const partitions, each = 16, 5000
	f := newFixture(b, partitions)
	data := strings.Repeat("x", 600)
	for p := range partitions {
		f.flood(b, events.ReservedSubject(p, events.Tick), each, func(int) string { return data })
	}
	for b.Loop() {
		r := f.NewReader(ReaderConfig{})
		for p := range partitions {
			if err := r.Add(p, 1, time.Time{}); err != nil {
				b.Fatal(err)
			}
		}
		for n := 0; n < partitions*each; {
			msgs, err := r.Fetch(b.Context(), 4000)
			if err != nil {
				b.Fatal(err)
			}
			n += len(msgs)
		}
		r.Close()
	}
	b.ReportMetric(float64(partitions*each*b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkAppend stores one record of 600 bytes at a time.
func BenchmarkAppend(b *testing.B) {
	f := newFixture(b, 1)
	l, err := f.OpenLog(b.Context(), 0, epochAbove(1))
	if err != nil {
		b.Fatal(err)
	}
	data := []byte(strings.Repeat("x", 600))
	for b.Loop() {
		if _, err := l.Append(b.Context(), "lw.ctlp.0.default.agent.r1", nats.Header{"Lw-Sig": {"k.s"}}, data); err != nil {
			b.Fatal(err)
		}
	}
}
