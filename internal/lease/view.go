package lease

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// entry is the value of every key: who wrote it.
type entry struct {
	Instance string `json:"instance"`
	Home     string `json:"home"`    // data directory; its lock admits one process at a time
	Session  string `json:"session"` // life of the process
}

// seen is a key as it was last heard of.
type seen struct {
	entry
	revision uint64
	at       time.Time // when we heard of it, by our own clock
	gone     bool
}

// view is what a watch of the bucket says. Entries expire in the server without
// a word, so each counts for one TTL from when it was last heard of.
type view struct {
	ttl        time.Duration
	instances  map[string]seen
	partitions map[int]seen
}

func newView(ttl time.Duration) *view {
	return &view{ttl: ttl, instances: map[string]seen{}, partitions: map[int]seen{}}
}

const (
	instancePrefix  = "instance."
	partitionPrefix = "partition."
)

func partitionKey(p int) string { return partitionPrefix + strconv.Itoa(p) }

// note remembers a key that was written or, with gone, removed, and reports
// whether that may change who should own what: an instance or an owner came or
// went. What is older than what is known, and what is no entry of ours, is left
// out.
func (v *view) note(key string, value []byte, revision uint64, gone bool, at time.Time) (news bool) {
	s := seen{revision: revision, at: at, gone: gone}
	if !gone && json.Unmarshal(value, &s.entry) != nil {
		return false
	}
	if name, ok := strings.CutPrefix(key, instancePrefix); ok {
		return noteIn(v, v.instances, name, s, at)
	}
	if number, ok := strings.CutPrefix(key, partitionPrefix); ok {
		if p, err := strconv.Atoi(number); err == nil {
			return noteIn(v, v.partitions, p, s, at)
		}
	}
	return false
}

func noteIn[K comparable](v *view, m map[K]seen, key K, s seen, now time.Time) bool {
	before := m[key]
	if s.revision < before.revision {
		return false
	}
	m[key] = s
	return v.live(before, now) != v.live(s, now)
}

// live reports whether an entry may still be in the bucket.
func (v *view) live(s seen, now time.Time) bool {
	return s.revision != 0 && !s.gone && now.Sub(s.at) < v.ttl
}

// others returns the names of the instances that live, but for own. Those that
// are long gone are forgotten.
func (v *view) others(own string, now time.Time) []string {
	var out []string
	for name, s := range v.instances {
		switch {
		case v.live(s, now):
			if name != own {
				out = append(out, name)
			}
		case now.Sub(s.at) > 10*v.ttl:
			delete(v.instances, name)
		}
	}
	return out
}

// holder returns who holds a partition, if anybody may.
func (v *view) holder(p int, now time.Time) (seen, bool) {
	s := v.partitions[p]
	return s, v.live(s, now)
}
