package bench

import (
	"context"
	"fmt"
	"runtime"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Memory measures the heap that a live run takes: after twenty calls, and when
// its memory of calls is full. It does not depend on other load.
func Memory(_ context.Context, c Config, r *Report) error {
	for _, m := range []struct {
		name        string
		calls, runs int
	}{
		{"heap_per_run_20_calls", 20, max(1, min(c.Runs, 1000))},
		{"heap_per_run_full", 2 * state.DefaultMemory, max(1, min(c.Runs, 30))},
	} {
		perRun, err := heapPerRun(c.Seed, m.calls, m.runs)
		if err != nil {
			return err
		}
		c.Tell("memory: %d runs of %d calls: %.0f bytes each\n", m.runs, m.calls, perRun)
		r.Figures[m.name] = perRun
	}
	return nil
}

// heapPerRun applies runs of that many calls and returns what each holds.
func heapPerRun(seed uint64, calls, runs int) (float64, error) {
	part, g, err := bare()
	if err != nil {
		return 0, err
	}
	before := heap()
	for i := range runs {
		f := Fleet{Seed: seed + uint64(i), Size: 600} //nolint:gosec // a count
		err := f.One(calls, func(e events.Event) error {
			e.Task, e.Run = fmt.Sprint("t", i), fmt.Sprint("r", i)
			_, err := g.Step(&e)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	after := heap()
	runtime.KeepAlive(part)
	return (float64(after) - float64(before)) / float64(runs), nil
}

// bare is an engine over a partition that is in memory only.
func bare() (*state.Partition, *engine.Engine, error) {
	part, err := state.OpenPartition(state.NewMemory(), 0)
	if err != nil {
		return nil, nil, err
	}
	policy, err := actions.Preset(actions.DefaultPreset)
	if err != nil {
		return nil, nil, err
	}
	g, err := engine.New(part, policy, true, features.Key{1})
	return part, g, err
}

// heap is what is in use once what nobody holds is gone.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
