package features

// Answer is a tool result as it arrived.
type Answer struct {
	Tool      string
	Content   []byte // raw JSON, or nil
	Truncated bool   // Content was cut; SHA identifies the whole
	SHA       string
	Failed    bool // an error is present, whatever its message
	Message   string
	Code      string
	Retryable bool
	Echoes    []Hash // Call.Echoes of the call it answers; nil where unknown
}

// Result is what a tool result says.
type Result struct {
	Hash     Hash   // content and error message with volatile parts masked: equal answers have equal hashes
	Exact    Hash   // the same unmasked
	Error    bool   // an error is present, or the text reads as one
	Class    Hash   // of the error with identifiers, numbers, quotes, paths, times and echoes of arguments folded away; 0 unless Error
	Negative bool   // short and says no, nothing, empty or error
	Empty    bool   // no content but white space, brackets and zeros
	Short    bool   // under 60 characters: an acknowledgement at most
	Infra    bool   // the infrastructure speaks: rate limit, unavailable, time-out, connection lost. Never evidence
	Failing  Hash   // of the lines that name failing checks; 0 under 120 characters of them
	Lines    []Hash // distinct masked lines of at least 12 characters; the first 64
	Passages []Hash // 8-word passages of the first 600 words, every fourth by hash; at most 64
	Chars    int    // length of the content's text
}

// Result returns the features of one result.
func (x *Extractor) Result(a Answer) Result {
	b := canonical(x.canon[:0], a.Content)
	b = append(b, a.Message...)
	if a.Truncated && !a.Failed {
		b = append(b, a.SHA...)
	}
	x.canon = b
	h := x.sum(domainResult, b)
	return Result{Hash: h, Exact: h, Error: a.Failed, Infra: a.Retryable, Chars: len(a.Content)}
}
