package state

// Meta is what a partition remembers beside its runs and tasks.
type Meta struct {
	Checkpoint Checkpoint
	Policy     PolicyRef
	Halts      []ScopeHalt // operators' halts by scope, in force
	Counts     Counts
	Census     Census
	ClockMS    int64 // stored time of the newest event applied
}

// Checkpoint is the place up to which the partition's stream was applied. It
// is committed together with the state it describes.
type Checkpoint struct {
	Seq       uint64 // sequence of the last event applied; 0 before the first
	CreatedNS int64  // creation time of the stream, nanoseconds since 1970
	Digest    Digest // of that event's body
}

// PolicyRef names the policy in force, and carries it.
type PolicyRef struct{ Name, Digest, YAML string }

// ScopeHalt is an operator's halt of everything that matches.
type ScopeHalt struct {
	Tenant, Agent, Task string // empty matches all
	Halt                Halt
}

// Matches reports whether the halt covers a run, and is in force at the stored
// time nowMS.
func (h ScopeHalt) Matches(id RunID, agent string, nowMS int64) bool {
	return (h.Tenant == "" || h.Tenant == id.Tenant) && (h.Agent == "" || h.Agent == agent) &&
		(h.Task == "" || h.Task == id.Task) && (h.Halt.UntilMS == 0 || nowMS < h.Halt.UntilMS)
}

// Counts are the buckets every stored event ends in; they add up to the range
// of sequences read.
type Counts struct {
	Applied   uint64
	Duplicate uint64
	Late      uint64
	Rejected  uint64
	Gap       uint64 // sequences the stream no longer held
}

// Total returns the sum of all buckets.
func (c Counts) Total() uint64 { return c.Applied + c.Duplicate + c.Late + c.Rejected + c.Gap }
