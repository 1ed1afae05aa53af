package eval

import (
	"fmt"
	"maps"
	"slices"

	"github.com/loopwatch/loopwatch/internal/ingest"
	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Corpus is the labelled runs of trace files, read once and held in memory, to
// measure many policies on.
type Corpus struct {
	labels map[string]Label
	seen   map[string]Observed // calls and file of every run
	told   []line
}

type line struct {
	event events.Event
	raw   []byte
}

// Read reads the labelled runs of the files.
func Read(in Input) (*Corpus, error) {
	c := &Corpus{labels: in.Labels, seen: map[string]Observed{}}
	for _, f := range in.Files {
		err := ingest.ReadFile(f, in.Stdin, in.Format, func(e events.Event, raw []byte) error {
			if _, ok := in.Labels[e.Run]; !ok {
				return nil
			}
			o, met := c.seen[e.Run]
			if !met {
				o.File = f
			}
			if e.Kind == events.ToolCall {
				o.Calls = append(o.Calls, e.Seq)
			}
			c.seen[e.Run] = o
			if !met && in.Progress != nil {
				in.Progress(len(c.seen))
			}
			c.told = append(c.told, line{e, slices.Clone(raw)})
			return nil
		}, func(f replay.Fault) {
			if in.Fault != nil {
				in.Fault(f)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if len(c.seen) == 0 {
		return nil, fmt.Errorf("none of the %d labelled runs is in the files", len(in.Labels))
	}
	return c, nil
}

// Measure replays the runs under a policy and judges each, in the order of
// their names.
func (c *Corpus) Measure(policy *actions.Policy) ([]Verdict, error) {
	acts := map[string][]Act{}
	r, err := replay.New(replay.Options{Policy: policy}, func(l replay.Line) error {
		if l.Reason == actions.Acted {
			acts[l.Run] = append(acts[l.Run], Act{Seq: l.Seq, Kind: l.Kind, Detector: l.Detector})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	for i := range c.told {
		if err := r.Feed(c.told[i].event, c.told[i].raw); err != nil {
			return nil, err
		}
	}
	if err := r.Finish(); err != nil {
		return nil, err
	}
	var out []Verdict
	for _, run := range slices.Sorted(maps.Keys(c.seen)) {
		o := c.seen[run]
		o.Acts = acts[run]
		out = append(out, Judge(c.labels[run], o))
	}
	return out, nil
}
