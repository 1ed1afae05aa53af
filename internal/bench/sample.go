package bench

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Sample is one measurement.
type Sample struct {
	Events int     `json:"events"`
	Wall   float64 `json:"wall_s"`
	CPU    float64 `json:"cpu_s"`           // of this process, the server's left out
	Other  float64 `json:"other_load"`      // share of the machine that neither this process nor the server used
	Bytes  int64   `json:"bytes,omitempty"` // committed to the store
}

// Rate is events a second.
func (s Sample) Rate() float64 { return float64(s.Events) / s.Wall }

// meter measures from its start on.
type meter struct {
	at          time.Time
	own, server float64
	busy, total float64
	pid         int
}

func start(serverPID int) meter {
	runtime.GC()
	busy, total := machine()
	return meter{at: time.Now(), own: ownCPU(), server: cpuOf(serverPID), busy: busy, total: total, pid: serverPID}
}

// stop returns what happened since.
func (m meter) stop(events int) Sample {
	wall := time.Since(m.at).Seconds()
	own, server := ownCPU()-m.own, cpuOf(m.pid)-m.server
	busy, total := machine()
	s := Sample{Events: events, Wall: wall, CPU: own}
	if t := total - m.total; t > 0 {
		s.Other = max(0, busy-m.busy-own-server) / t
	}
	return s
}

// ownCPU is what this process used so far, in seconds.
func ownCPU() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return seconds(u.Utime) + seconds(u.Stime)
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// ticks a second, in which the kernel counts.
const ticks = 100

// cpuOf is what another process used so far; 0 where that cannot be told.
func cpuOf(pid int) float64 {
	if pid == 0 {
		return 0
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), ") ") // the name may hold blanks
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	return (number(f[11]) + number(f[12])) / ticks
}

// machine is the time all cores were busy, and all the time there was.
func machine() (busy, total float64) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	line, _, _ := strings.Cut(string(b), "\n")
	for i, f := range strings.Fields(line)[1:] {
		if i >= 8 { // guest time is counted above already
			break
		}
		total += number(f) / ticks
		if i != 3 && i != 4 { // idle, and waiting for disks
			busy += number(f) / ticks
		}
	}
	return busy, total
}

func number(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return x
}

// median is the middle of values, 0 for none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	v := slices.Sorted(slices.Values(values))
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

// quantile is the value below which the share q of values lies.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	v := slices.Sorted(slices.Values(values))
	return v[min(len(v)-1, int(q*float64(len(v))))]
}
