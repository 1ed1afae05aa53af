package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Config says what to measure and how.
type Config struct {
	Seed    uint64
	Rounds  int      // of each pair of measurements
	Events  int      // of a generated fleet
	Runs    int      // live ones, where memory and restarts are measured
	Files   []string // recorded traces to publish instead of a generated fleet
	Noise   float64  // share of the machine used by others beyond which a round does not count
	Command []string // runs Serve in a process of its own, with the directory as its last argument; nil serves in this one
	Dir     string   // for what is written; removed afterwards
	Tell    func(format string, args ...any)
}

// Report is what was measured.
type Report struct {
	Rounds  int                `json:"rounds"`
	Used    map[string]int     `json:"rounds_used"` // that were not disturbed
	Seed    uint64             `json:"seed"`
	Cores   int                `json:"cores"`
	Ratio   map[string]float64 `json:"ratio"`
	Figures map[string]float64 `json:"figures"`
	Pairs   map[string][]Pair  `json:"pairs,omitempty"`
}

// Pair is one round: the same events read raw and processed.
type Pair struct {
	Raw       Sample `json:"raw"`
	Pipeline  Sample `json:"pipeline"`
	Disturbed bool   `json:"disturbed"`
}

// NewReport returns an empty report.
func NewReport(c Config) *Report {
	return &Report{
		Rounds: c.Rounds, Seed: c.Seed, Cores: runtime.GOMAXPROCS(0), Used: map[string]int{},
		Ratio: map[string]float64{}, Figures: map[string]float64{}, Pairs: map[string][]Pair{},
	}
}

// ErrDisturbed says that too few rounds were undisturbed to state a ratio.
var ErrDisturbed = errors.New("the machine was too busy to state a ratio: run it again when it is quiet, or raise --noise")

// Pipeline measures the processor against reading alone: a fleet of long runs,
// and one of runs of two events.
func Pipeline(ctx context.Context, c Config, r *Report) error {
	long := Fleet{Seed: c.Seed, Events: c.Events, Active: 1000, Size: 600, Loops: 0.05}
	short := Fleet{Seed: c.Seed, Events: min(c.Events, 100_000), Active: 1000, Size: 600, Short: true}
	if err := pairs(ctx, c, r, "pipeline", c.each(long)); err != nil {
		return err
	}
	if len(c.Files) > 0 {
		return nil
	}
	return pairs(ctx, c, r, "pipeline_short_runs", short.Each)
}

// each returns the events to publish.
func (c Config) each(f Fleet) func(func(subject, id string, data []byte) error) error {
	if len(c.Files) == 0 {
		return f.Each
	}
	return func(fn func(subject, id string, data []byte) error) error {
		for _, file := range c.Files {
			err := replay.ReadFile(file, os.Stdin, func(e events.Event, raw []byte) error {
				if e.Kind.Ours() {
					return nil
				}
				return fn(events.EventSubject(e.Tenant, e.Agent, e.Task, e.Run), e.ID, raw)
			}, func(replay.Fault) {})
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// pairs measures alternately, raw first, and states the median ratio of the
// rounds that nobody disturbed.
func pairs(ctx context.Context, c Config, r *Report, name string, each func(func(subject, id string, data []byte) error) error) (err error) {
	dir, err := os.MkdirTemp(c.Dir, "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b, err := openBus(ctx, dir, c.Command)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	c.Tell("%s: publishing\n", name)
	if err := b.fill(ctx, each); err != nil {
		return err
	}
	r.Figures[name+"_event_bytes"] = float64(b.bytes) / float64(b.events)
	var ratios, cpu, against, bytes []float64
	for n := range c.Rounds {
		var pair Pair
		if pair.Raw, err = b.raw(ctx); err != nil {
			return err
		}
		if pair.Pipeline, err = b.pipeline(ctx, dir); err != nil {
			return err
		}
		pair.Disturbed = max(pair.Raw.Other, pair.Pipeline.Other) > c.Noise
		r.Pairs[name] = append(r.Pairs[name], pair)
		c.Tell("%s: round %d of %d: %.0f of %.0f events/s, other load %.0f %% and %.0f %%\n", name, n+1, c.Rounds,
			pair.Pipeline.Rate(), pair.Raw.Rate(), 100*pair.Pipeline.Other, 100*pair.Raw.Other)
		if pair.Disturbed {
			continue
		}
		ratios = append(ratios, pair.Pipeline.Rate()/pair.Raw.Rate())
		cpu = append(cpu, 1e6*pair.Pipeline.CPU/float64(pair.Pipeline.Events))
		against = append(against, pair.Pipeline.CPU/pair.Raw.CPU)
		bytes = append(bytes, float64(pair.Pipeline.Bytes)/float64(pair.Pipeline.Events))
	}
	if err := r.used(name, len(ratios), c.Rounds); err != nil {
		return err
	}
	r.Ratio[name] = median(ratios)
	r.Ratio[name+"_cpu"] = median(against)
	r.Figures[name+"_cpu_us_per_event"] = median(cpu)
	r.Figures[name+"_committed_bytes_per_event"] = median(bytes)
	return nil
}

// used notes how many rounds count, and refuses where fewer than half do.
func (r *Report) used(name string, n, rounds int) error {
	r.Used[name] = n
	if 2*n < rounds || n == 0 {
		return fmt.Errorf("%s: %d of %d rounds were disturbed: %w", name, rounds-n, rounds, ErrDisturbed)
	}
	return nil
}

// Print writes a report as a table, ratios first.
func (r *Report) Print(out io.Writer) {
	fmt.Fprintf(out, "%d rounds, seed %d, %d cores\n", r.Rounds, r.Seed, r.Cores)
	table(out, "ratio", r.Ratio)
	table(out, "figure", r.Figures)
}
