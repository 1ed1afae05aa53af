package state

// Store keeps bytes under keys, ordered bytewise; it knows nothing of runs.
// It is the only way state reaches a disk. Two implementations share one
// conformance suite (storetest): Memory here, and pebblestore.
//
// A Store is safe for concurrent readers and one writer.
type Store interface {
	// Get returns the value of key, owned by the caller; nil and no error
	// where the key is absent.
	Get(key []byte) ([]byte, error)
	// Scan calls fn for every key in [from, to) in ascending order until fn
	// returns false. Key and value are valid only during the call. A nil to
	// means no upper bound. It sees the store as it is when Scan is called,
	// whatever is committed meanwhile, by fn too.
	Scan(from, to []byte, fn func(key, value []byte) bool) error
	// Commit applies the batch whole or not at all. The store keeps no
	// reference to it. After an error the store must not be used again.
	Commit(b *Batch) error
	// Close flushes what was committed. It is an error to use the store after.
	Close() error
}

// Batch is an ordered list of writes that are committed together; the zero
// value is empty and ready.
type Batch struct {
	Ops []Op

	buf []byte // memory of what Flush adds
}

// Op sets Key to Value, or deletes Key where Delete is true. An empty key is
// an error of Commit: Pebble cannot store it.
type Op struct {
	Key, Value []byte
	Delete     bool
}

// Set adds a write. The batch keeps both slices until it is committed.
func (b *Batch) Set(key, value []byte) { b.Ops = append(b.Ops, Op{Key: key, Value: value}) }

// Delete adds a removal; removing an absent key is no error.
func (b *Batch) Delete(key []byte) { b.Ops = append(b.Ops, Op{Key: key, Delete: true}) }

// Reset empties the batch and keeps its memory, that of keys and values which
// Flush added included: they are not to be used any more.
func (b *Batch) Reset() {
	clear(b.Ops)
	b.Ops, b.buf = b.Ops[:0], b.buf[:0]
}

// key puts a partition's key into the batch's memory.
func (b *Batch) key(p *Partition, kind byte, names ...string) []byte {
	from := len(b.buf)
	b.buf = p.appendKey(b.buf, kind, names...)
	return b.since(from)
}

// since returns what was added to the batch's memory since it had length from.
func (b *Batch) since(from int) []byte { return b.buf[from:len(b.buf):len(b.buf)] }
