package state

import (
	"fmt"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// busyRun returns a run that read, wrote and failed in turn over that many
// calls, most of them new ones.
func busyRun(calls int) *Run {
	a := Applier{Features: features.New(features.Rules{})}
	r := NewRun(RunID{Tenant: "default", Task: "task-17", Run: "run-0001"}, "coder", 0)
	seq := uint64(1000)
	apply := func(e events.Event) {
		seq += 7
		e.V, e.ID, e.Seq, e.StreamSeq = 1, fmt.Sprintf("event-%d", seq), (seq-1000)/7, seq
		e.Time = time.UnixMilli(1_750_000_000_000 + int64(seq)*150)
		e.Stored = e.Time.Add(20 * time.Millisecond)
		a.Apply(r, &e)
	}
	tools := []string{"read_file", "bash", "search", "edit_file"}
	for i := range calls {
		tool := tools[i%len(tools)]
		apply(events.Event{Kind: events.TurnKind, Round: i + 1, Turn: &events.Turn{Text: "going on", Usage: &events.Usage{InputTokens: 9000, OutputTokens: 210}}})
		args := fmt.Sprintf(`{"path":"pkg/state/file%d.go","query":"term%d","command":"go test ./pkg/%d"}`, i/2, i/3, i)
		apply(events.Event{Kind: events.ToolCall, Round: i + 1, Call: &events.Call{ID: fmt.Sprint("call", i), Tool: tool, Args: events.RawJSON(args)}})
		res := &events.Result{CallID: fmt.Sprint("call", i), Tool: tool, Content: events.RawJSON(fmt.Sprintf(`"line %d of something found"`, i))}
		if i%5 == 4 {
			res.Content, res.Error = nil, &events.Error{Message: fmt.Sprintf("no such file: file%d", i)}
		}
		apply(events.Event{Kind: events.ToolResult, Round: i + 1, Result: res})
	}
	return r
}

func benchmarkRuns(b *testing.B, run func(b *testing.B, r *Run)) {
	for _, calls := range []int{1, 20, 100, 1000} {
		b.Run(fmt.Sprintf("calls=%d", calls), func(b *testing.B) { run(b, busyRun(calls)) })
	}
}

func BenchmarkAppendRun(b *testing.B) {
	benchmarkRuns(b, func(b *testing.B, r *Run) {
		buf := AppendRun(nil, r)
		b.ReportAllocs()
		for b.Loop() {
			buf = AppendRun(buf[:0], r)
		}
		b.ReportMetric(float64(len(buf)), "bytes/run")
	})
}

func BenchmarkDecodeRun(b *testing.B) {
	benchmarkRuns(b, func(b *testing.B, r *Run) {
		buf := AppendRun(nil, r)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := DecodeRun(buf); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(buf)), "bytes/run")
	})
}
