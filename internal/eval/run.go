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

// Input is what a policy is measured on.
type Input struct {
	Labels   map[string]Label // by run
	Files    []string         // trace files; - is Stdin
	Stdin    io.Reader
	Progress func(runs int)     // told how many labelled runs were met so far; nil is never called
	Fault    func(replay.Fault) // told lines that cannot be read; nil is never called
}

// Labels replays the labelled runs of trace files under a policy and judges
// each, in the order of their names.
func Labels(policy *actions.Policy, in Input) ([]Verdict, error) {
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
	for _, f := range in.Files {
		err := replay.ReadFile(f, in.Stdin, func(e events.Event, raw []byte) error {
			if _, ok := in.Labels[e.Run]; !ok {
				return nil
			}
			if seen[e.Run] == nil {
				seen[e.Run] = &Observed{File: f}
				if in.Progress != nil {
					in.Progress(len(seen))
				}
			}
			if e.Kind == events.ToolCall {
				seen[e.Run].Calls = append(seen[e.Run].Calls, e.Seq)
			}
			return r.Feed(e, raw)
		}, func(f replay.Fault) {
			if in.Fault != nil {
				in.Fault(f)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if err := r.Finish(); err != nil {
		return nil, err
	}
	if len(seen) == 0 {
		return nil, fmt.Errorf("none of the %d labelled runs is in the files", len(in.Labels))
	}
	var out []Verdict
	for _, run := range slices.Sorted(maps.Keys(seen)) {
		out = append(out, Judge(in.Labels[run], *seen[run]))
	}
	return out, nil
}
