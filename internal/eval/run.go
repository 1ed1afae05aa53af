package eval

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Labels replays the labelled runs of trace files under a policy and judges
// each, in the order of their names. progress is told the events read so far;
// nil is never called.
func Labels(policy *actions.Policy, labels map[string]Label, files []string, stdin io.Reader, progress func(int)) ([]Verdict, error) {
	seen := map[string]*Observed{}
	r, err := replay.New(replay.Options{Policy: policy}, func(l replay.Line) error {
		if l.Reason == actions.Acted {
			o := seen[l.Run]
			o.Acts = append(o.Acts, Act{Seq: l.Seq, Kind: l.Kind, Detector: l.Detector})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	read := 0
	for _, f := range files {
		err := replay.ReadFile(f, stdin, func(e events.Event, raw []byte) error {
			if read++; progress != nil && read%1000 == 0 {
				progress(read)
			}
			if _, ok := labels[e.Run]; !ok {
				return nil
			}
			if seen[e.Run] == nil {
				seen[e.Run] = &Observed{}
			}
			if e.Kind == events.ToolCall {
				seen[e.Run].Calls = append(seen[e.Run].Calls, e.Seq)
			}
			return r.Feed(e, raw)
		}, func(replay.Fault) {})
		if err != nil {
			return nil, err
		}
	}
	if err := r.Finish(); err != nil {
		return nil, err
	}
	if len(seen) == 0 {
		return nil, fmt.Errorf("none of the %d labelled runs is in the files", len(labels))
	}
	var out []Verdict
	for _, run := range slices.Sorted(maps.Keys(seen)) {
		out = append(out, Judge(labels[run], *seen[run]))
	}
	return out, nil
}
