package eval

import (
	"io"

	"github.com/loopwatch/loopwatch/internal/ingest"
	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// Input is what policies are measured on.
type Input struct {
	Labels   map[string]Label // by run
	Files    []string         // trace files; - is Stdin
	Format   ingest.Format    // of the files; zero tells it by content
	Stdin    io.Reader
	Progress func(runs int)     // told how many labelled runs were met so far; nil is never called
	Fault    func(replay.Fault) // told lines that cannot be read; nil is never called
}

// Labels reads the labelled runs and measures one policy on them.
func Labels(policy *actions.Policy, in Input) ([]Verdict, error) {
	c, err := Read(in)
	if err != nil {
		return nil, err
	}
	return c.Measure(policy)
}
