package app

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/loopwatch/loopwatch/internal/processor"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/state/pebblestore"
)

// gauges registers what is read at scrape time.
func (a *App) gauges(reg *prometheus.Registry, store *pebblestore.Store) {
	gauge := func(name, help string, f func() float64) {
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "loopwatch", Name: name, Help: help}, f))
	}
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	gauge("store_bytes", "Bytes of the state on disk.", func() float64 { return float64(store.DiskBytes()) })
	dir := filepath.Join(a.opts.Data, "state")
	gauge("store_limit_bytes", "Bytes that the state can grow to: what it takes and what its file system has free.", func() float64 {
		disk, err := vfs.Default.GetDiskUsage(dir)
		if err != nil {
			return 0
		}
		return float64(store.DiskBytes() + disk.AvailBytes)
	})
	gauge("decision_log_junk_records", "Foreign records met in the decision logs.", func() float64 {
		var n uint64
		for _, s := range a.Processor.Status() {
			n += s.Junk
		}
		return float64(n)
	})
	gauge("partitions", "Partitions that the bus has, whoever reads them.", func() float64 { return float64(a.Processor.Partitions()) })
	var refs refs
	gauge("policy_last_reload_successful", "1 when the partitions of this instance run the policy that was pushed last, 0 while it is refused or not in force.", func() float64 {
		if e := a.policy.Load(); e != nil && !refs.inForce(e, a.Processor.Status()) {
			return 0
		}
		return 1
	})
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Namespace: "loopwatch", Name: "build_info", Help: "Always 1; the labels say what runs.",
	}, []string{"version", "revision", "goversion"})
	info.WithLabelValues(a.opts.Version, revision(), runtime.Version()).Set(1)
	reg.MustRegister(info)
}

// refs remembers what the newest pushed policy is called, so that a scrape
// does not read it again.
type refs struct {
	mu       sync.Mutex
	revision uint64
	ref      string // empty for one that cannot be read
}

// inForce reports whether all partitions run a pushed policy.
func (r *refs) inForce(e *pushed, all []processor.Status) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.revision != e.Revision() {
		r.revision, r.ref = e.Revision(), ""
		if p, err := actions.Parse(e.Value()); err == nil {
			r.ref = p.Ref()
		}
	}
	for _, s := range all {
		if s.Policy != r.ref {
			return false
		}
	}
	return r.ref != ""
}

// revision is the commit that this binary was built from, unknown where the
// build does not say.
func revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}

// metricFaults are those of the options that concern metrics.
func (o Options) metricFaults() (faults []error) {
	if n := len(o.Agents); n > processor.MaxAgents {
		faults = append(faults, fmt.Errorf("--agent: %d names, at most %d", n, processor.MaxAgents))
	}
	if n := len(o.Tools); n > processor.MaxTools {
		faults = append(faults, fmt.Errorf("--tool: %d names, at most %d", n, processor.MaxTools))
	}
	return faults
}
