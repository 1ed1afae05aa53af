package events

import (
	"unicode/utf8"
)

// Decoder decodes one message after the other into memory of its own. The zero
// Decoder is ready; it is not safe for concurrent use.
//
// A usual message is read in one pass that checks all of it. Whatever that pass
// is not sure of (a field it does not know, a null, an unusual number or escape,
// anything wrong) is judged by the plain decoder instead, so that both always
// agree.
type Decoder struct {
	start   Start
	turn    Turn
	usage   Usage
	cost    float64
	steps   int
	call    Call
	result  Result
	changed bool
	fault   Error
	message Message
	end     End
	place   int

	scan scanner
}

// Decode reads one event as the function of that name does, into e. What e holds
// aliases data and the decoder: it is good until the next call, as long as data
// is not changed. Clone what is kept for longer.
func (d *Decoder) Decode(data []byte, limit int, e *Event) error {
	if limit <= 0 {
		limit = DefaultLimit
	}
	if len(data) <= limit && d.quick(data, e) {
		return nil
	}
	var rej *Reject
	if *e, rej = decode(data, limit); rej != nil {
		*e = Event{}
		return rej
	}
	return nil
}

// quick reads a usual message and reports whether it was sure of it.
func (d *Decoder) quick(data []byte, e *Event) bool {
	*e = Event{}
	s := &d.scan
	s.reset(data)
	var h head
	if !s.object(func(name []byte) bool { return d.field(&h, e, name) }) {
		return false
	}
	if s.space(); s.pos != len(data) || s.wide && !utf8.Valid(data) {
		return false
	}
	if !h.settle(e) {
		return false
	}
	e.normalise()
	return e.validate() == nil
}

// head is what decides which of the other fields count.
type head struct {
	seen       uint32 // fields met, so that none is taken twice
	seq, round bool
	kind       string
	number     int64 // round as it stands
	body       Kind  // whose body was met
}

// once notes the field of that number and reports whether it is new.
func once(seen *uint32, n int) bool {
	bit := uint32(1) << n
	met := *seen&bit != 0
	*seen |= bit
	return !met
}

// field reads one field of the message.
func (d *Decoder) field(h *head, e *Event, name []byte) bool {
	s := &d.scan
	var n int64
	switch string(name) {
	case "v":
		ok := once(&h.seen, 0) && s.whole(&n) && n == Version
		e.V = Version
		return ok
	case "id":
		return once(&h.seen, 1) && s.text(&e.ID)
	case "kind":
		return once(&h.seen, 2) && s.text(&h.kind)
	case "tenant":
		return once(&h.seen, 3) && s.text(&e.Tenant)
	case "agent":
		return once(&h.seen, 4) && s.text(&e.Agent)
	case "task":
		return once(&h.seen, 5) && s.text(&e.Task)
	case "run":
		return once(&h.seen, 6) && s.text(&e.Run)
	case "parent":
		return once(&h.seen, 7) && s.text(&e.Parent)
	case "seq":
		ok := once(&h.seen, 8) && s.whole(&n)
		e.Seq, h.seq = uint64(n), true
		return ok
	case "time":
		return once(&h.seen, 9) && s.time(&e.Time)
	case "stored":
		return once(&h.seen, 10) && s.time(&e.Stored)
	case "round":
		h.round = true
		return once(&h.seen, 11) && s.whole(&h.number)
	case "origin":
		return once(&h.seen, 12) && s.origin(&e.Origin)
	case "stream_seq":
		ok := once(&h.seen, 13) && s.whole(&n)
		e.StreamSeq = uint64(n)
		return ok
	case "partition":
		ok := once(&h.seen, 14) && s.whole(&n)
		d.place, e.Partition = int(n), &d.place
		return ok
	}
	return h.body == "" && d.body(h, e, name)
}

// settle fills what depends on the kind and reports whether all the kind needs
// was there.
func (h *head) settle(e *Event) bool {
	kind, ok := kindOf(h.kind)
	if !ok || kind != h.body || e.V == 0 || !h.seq && kind != RunStart {
		return false
	}
	if e.Kind = kind; kind.InRound() {
		if !h.round || h.number < 1 || h.number > MaxRound {
			return false
		}
		e.Round = int(h.number)
	}
	return true
}
