package natsbus

import (
	"fmt"
	"strconv"
	"strings"
)

// release is a server's version.
type release [3]int

// safe is the first release of each line whose permissions and accounts hold
// what a bus rests on; later lines begin safe.
var safe = []struct {
	line, from release
	hole       string // what stands open before
}{
	{
		release{2, 12, 0}, release{2, 12, 7},
		"a queue subscription passes a denied subject (NATS advisory 2026-18), routes are entered without credentials (2026-16), " +
			"and a stream is restored over another (CVE-2026-33222, before 2.12.6)",
	},
	{
		release{2, 11, 0}, release{2, 11, 16},
		"a queue subscription passes a denied subject (NATS advisory 2026-18), routes are entered without credentials (2026-16), " +
			"a stream is restored over another (CVE-2026-33222, before 2.11.15), and any client may purge an account (CVE-2025-30215, before 2.11.1)",
	},
	{
		release{}, release{2, 11, 16},
		"it is no longer maintained: what was found in it since, such as NATS advisory 2026-18, is not repaired",
	},
}

// checkVersion refuses a server that is known not to keep its clients apart. A
// version that does not read as one is not judged.
func checkVersion(version string) error {
	v, ok := parseRelease(version)
	if !ok {
		return nil
	}
	for _, s := range safe {
		if v.before(s.line) {
			continue
		}
		if v[0] == s.line[0] && v[1] != s.line[1] && !v.before(s.from) {
			return nil // of a later line
		}
		if v.before(s.from) {
			return fmt.Errorf("nats-server %s is refused: %s: use %d.%d.%d or later, best the newest", version, s.hole, s.from[0], s.from[1], s.from[2])
		}
		return nil
	}
	return nil
}

// parseRelease reads 2.15.3, v2.15.3-RC.1 and the like.
func parseRelease(s string) (v release, ok bool) {
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "v"), "-")
	parts := strings.Split(s, ".")
	if len(parts) != len(v) {
		return v, false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 {
			return v, false
		}
		v[i] = n
	}
	return v, true
}

func (v release) before(o release) bool {
	for i := range v {
		if v[i] != o[i] {
			return v[i] < o[i]
		}
	}
	return false
}
