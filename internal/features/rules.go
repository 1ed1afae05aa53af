package features

// Effect says what a call does to the world.
type Effect uint8

const (
	Unknown Effect = iota // nothing is known; the zero value
	Read                  // looks, changes nothing
	Write                 // changes something where it succeeds
	Run                   // executes a program of unknown effect, such as a test suite
	Think                 // neither effect nor information: think, plan and note tools
)

// String returns the effect's name in lower case.
func (e Effect) String() string {
	switch e {
	case Read:
		return "read"
	case Write:
		return "write"
	case Run:
		return "run"
	case Think:
		return "think"
	}
	return "unknown"
}

// Collapse says in which strings runs of white space count as one blank.
type Collapse uint8

const (
	CollapseSingleLine Collapse = iota // only in strings of one line; others lose blank lines at the start and white space at the end. The zero value
	CollapseAll                        // in every string
)

// Fold says how argument values are folded before calls are compared. The zero
// value is the folding of the default policy.
type Fold struct {
	LowerStrings  bool     // strings are lower-cased, except those of UpperFields
	UpperFields   []string // strings under these keys, at any depth, are upper-cased
	Collapse      Collapse
	FloatDecimals int      // numbers written with a fraction or an exponent are rounded to so many decimals; 0 means the exact value
	Narration     []string // top-level arguments that narrate and do not identify; dropped unless nothing remains. Nil means the default list, empty means none
}

// ToolRule is what a policy says about one tool; the zero value says nothing.
type ToolRule struct {
	Effect   Effect   // Unknown means: judge by declaration, name and command
	Polls    *bool    // nil means: judge by declaration and name
	Identity []string // the only top-level arguments that count; empty means all
	Volatile []string // fields of results whose values are ignored, as JSON keys and as "key: value" or "key=value" in text
}

// Rules are everything an Extractor depends on. Tools is keyed by tool name and
// must not be changed while an Extractor uses it.
type Rules struct {
	Fold  Fold
	Tools map[string]ToolRule
	Key   Key
	Thin  int // of the passages of a text those are kept whose hash is divisible by it; 0 means 2, 1 keeps all
}

// narration is the default list of arguments that narrate or differ by design.
var narration = []string{
	"thought", "thoughts", "reasoning", "reason", "explanation", "scratch_pad",
	"rationale", "comment", "description", "message_id", "request_id",
	"idempotency_key", "timestamp", "nonce",
}
