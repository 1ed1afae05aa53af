package worker

// cache keeps the newest results of a run, so that a replay does not depend on
// what was sent.
type cache struct {
	byCall map[string][]byte
	order  []string
	bytes  int
}

// Bounds of the cache.
const (
	cacheCalls = 256
	cacheBytes = 8 << 20
)

// put keeps a result, forgetting the oldest beyond the bounds.
func (c *cache) put(call string, content []byte) {
	if c.byCall == nil {
		c.byCall = map[string][]byte{}
	}
	if old, ok := c.byCall[call]; ok {
		c.bytes += len(content) - len(old)
		c.byCall[call] = content
		return
	}
	c.byCall[call] = content
	c.order = append(c.order, call)
	c.bytes += len(content)
	for len(c.order) > cacheCalls || c.bytes > cacheBytes && len(c.order) > 1 {
		c.bytes -= len(c.byCall[c.order[0]])
		delete(c.byCall, c.order[0])
		c.order = c.order[1:]
	}
}

// cached returns the result of an earlier call of this process.
func (r *Run) cached(call string) ([]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, ok := r.results.byCall[call]
	return b, ok
}
