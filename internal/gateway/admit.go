package gateway

import (
	"errors"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// item is one event that may be stored.
type item struct {
	index int // in the body, from 0
	event events.Event
	data  []byte // as it is published
}

// Rejected says why one item of a body was not taken. What HTTP refuses is not
// among the dead letters: its caller was told.
type Rejected struct {
	Index  int           `json:"index"` // in the body, from 0; of lines, those that are not empty count
	Error  string        `json:"error"`
	Reason events.Reason `json:"reason"`
	Field  string        `json:"field,omitempty"` // dotted path, empty where the whole is meant
}

// admit judges the items of a body by themselves, as the processor will. An
// event of another tenant or agent than the caller's refuses them all.
func (g *Gateway) admit(who Caller, parts [][]byte) ([]item, []Rejected, error) {
	items, refused := make([]item, 0, len(parts)), []Rejected{}
	for i, data := range parts {
		it, err := g.admitOne(who, data)
		var rej *events.Reject
		switch {
		case errors.As(err, &rej):
			refused = append(refused, rejection(i, rej))
		case err != nil:
			return nil, nil, err
		default:
			it.index = i
			items = append(items, it)
		}
	}
	return items, refused, nil
}

// rejection describes a refused item.
func rejection(i int, r *events.Reject) Rejected {
	return Rejected{Index: i, Error: string(r.Reason) + ": " + r.Detail, Reason: r.Reason, Field: r.Field}
}

// admitOne reads an event and gives it the identity of its caller where it
// names none. What is stored is what was sent, as far as that is possible.
func (g *Gateway) admitOne(who Caller, data []byte) (item, error) {
	e, err := events.Decode(data, g.cfg.MaxEvent)
	if err != nil {
		return item{}, err
	}
	if e.Kind.Ours() {
		return item{}, &events.Reject{Reason: events.ReasonReservedKind, Field: "kind", Detail: "kind: no worker may publish it"}
	}
	changed, err := who.claim(&e, data)
	if err != nil {
		return item{}, err
	}
	if placed := !e.Stored.IsZero() || e.StreamSeq != 0 || e.Partition != nil; placed || changed {
		e.Stored, e.StreamSeq, e.Partition = time.Time{}, 0, nil
		if data, err = events.Encode(e); err != nil {
			return item{}, err
		}
	}
	return item{event: e, data: data}, nil
}

// claim checks that an event is of the caller's tenant and agent, which it
// takes where it names none, and reports whether it did.
func (c Caller) claim(e *events.Event, data []byte) (changed bool, err error) {
	if c.Tenant == "" && c.Agent == "" {
		return false, nil
	}
	var said struct {
		Tenant string `json:"tenant"`
		Agent  string `json:"agent"`
	}
	if err := json.Unmarshal(data, &said); err != nil {
		return false, err
	}
	for _, n := range []struct {
		bound, said string
		is          *string
	}{{c.Tenant, said.Tenant, &e.Tenant}, {c.Agent, said.Agent, &e.Agent}} {
		switch {
		case n.bound == "" || n.said == n.bound:
		case n.said != "":
			return false, notYours()
		default:
			*n.is, changed = n.bound, true
		}
	}
	return changed, nil
}

func notYours() *Fault {
	return &Fault{
		Status: http.StatusForbidden, Code: "not_yours", Message: "the token is for another tenant or agent; nothing was done",
		Hint: "leave tenant and agent out: they are the token's then",
	}
}
