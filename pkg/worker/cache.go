package worker

import (
	"bytes"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
)

// cache keeps the newest results of a run whole, so that a replay does not
// depend on what was sent.
type cache struct {
	byCall map[string]kept
	order  []string
	bytes  int
}

// kept is one result as the tool gave it.
type kept struct {
	content []byte // JSON, nil where there was none
	err     error
	at      time.Time
}

// Bounds of the cache.
const (
	cacheCalls = 256
	cacheBytes = 8 << 20
)

// output returns the result of a call for now, nil where it is not kept. What
// it returns is the caller's.
func (c *cache) output(call string, now time.Time) *Output {
	k, ok := c.byCall[call]
	if !ok {
		return nil
	}
	return &Output{Content: bytes.Clone(k.content), Err: k.err, Label: actions.Label(call, now.Sub(k.at))}
}

// put keeps a result, forgetting the oldest beyond the bounds. The first
// result of a call stays.
func (c *cache) put(call string, k kept) {
	if c.byCall == nil {
		c.byCall = map[string]kept{}
	}
	if _, ok := c.byCall[call]; ok || len(k.content) > cacheBytes {
		return
	}
	k.content = bytes.Clone(k.content)
	c.byCall[call] = k
	c.order = append(c.order, call)
	c.bytes += len(k.content)
	for len(c.order) > cacheCalls || c.bytes > cacheBytes {
		c.bytes -= len(c.byCall[c.order[0]].content)
		delete(c.byCall, c.order[0])
		c.order = c.order[1:]
	}
}
