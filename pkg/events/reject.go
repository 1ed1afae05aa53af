package events

import "strconv"

// Reason names why an event is refused. The list is closed: it labels metrics
// and dead letters, so a new reason is a change of the public API.
type Reason string

// What Decode and Validate refuse, from the outside in.
const (
	ReasonTooLarge     Reason = "too_large"     // more bytes than the limit
	ReasonNotJSON      Reason = "not_json"      // not exactly one JSON value
	ReasonInvalidUTF8  Reason = "invalid_utf8"  // bytes that are not UTF-8, or half of a surrogate pair
	ReasonDuplicateKey Reason = "duplicate_key" // the same name twice in one object, at any depth
	ReasonTooDeep      Reason = "too_deep"      // nested deeper than MaxDepth
	ReasonNotObject    Reason = "not_object"    // JSON, but no object
	ReasonVersion      Reason = "version"       // a version this code does not read
	ReasonUnknownKind  Reason = "unknown_kind"  // a kind the contract does not name
	ReasonMissingField Reason = "missing_field" // a field the kind needs is absent, null or empty
	ReasonBadName      Reason = "bad_name"      // an identity that is not a token, or an unusable event id
	ReasonBadTime      Reason = "bad_time"      // not RFC 3339 with zone, or outside the usable years
	ReasonBadValue     Reason = "bad_value"     // wrong JSON type, out of bounds, or not one of the names allowed
)

// What CheckIdentity refuses, and what only the owner of a partition can know.
const (
	ReasonIdentity     Reason = "identity"      // the subject names another tenant, agent or kind than the body
	ReasonPartition    Reason = "partition"     // the event belongs to another partition
	ReasonReservedKind Reason = "reserved_kind" // a worker published one of our own kinds
	ReasonSignature    Reason = "signature"     // an operator's act that no trusted key signed
	ReasonRunEnded     Reason = "run_ended"     // the run is over; only a run_start opens it again
)

// Reasons returns every reason, in the order above; the caller owns the slice.
func Reasons() []Reason {
	return []Reason{
		ReasonTooLarge, ReasonNotJSON, ReasonInvalidUTF8, ReasonDuplicateKey, ReasonTooDeep, ReasonNotObject,
		ReasonVersion, ReasonUnknownKind, ReasonMissingField, ReasonBadName, ReasonBadTime, ReasonBadValue,
		ReasonIdentity, ReasonPartition, ReasonReservedKind, ReasonSignature, ReasonRunEnded,
	}
}

// Reject is the error of every refused event. Detail says which field broke
// which rule; it quotes names of fields, never their values, so that it can be
// logged and kept in the dead letters.
type Reject struct {
	Reason Reason
	Field  string // dotted path, as in start.tools[2].effect; empty where the whole is meant
	Detail string // begins with Field where there is one
}

// Error returns reason and detail.
func (r *Reject) Error() string { return "reject event: " + string(r.Reason) + ": " + r.Detail }

func reject(reason Reason, field, rule string) *Reject {
	if field == "" {
		return &Reject{Reason: reason, Detail: rule}
	}
	return &Reject{Reason: reason, Field: field, Detail: field + ": " + rule}
}

func missing(field string) *Reject   { return reject(ReasonMissingField, field, "required") }
func bad(field, rule string) *Reject { return reject(ReasonBadValue, field, rule) }

func wrongVersion() *Reject {
	return reject(ReasonVersion, "v", "this code reads version "+strconv.Itoa(Version)+" only")
}

func unknownKind() *Reject {
	return reject(ReasonUnknownKind, "kind", "not one the contract names")
}
