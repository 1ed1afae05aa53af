package escalate

import (
	"cmp"
	"context"
	"slices"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/events"
)

const (
	readAtOnce  = 100 // records of one log before the others have their turn
	judgeAtOnce = 200 // runs of one partition looked at between two batches of the straight line, in one round
)

// follow reads what a log holds behind the position. An escalation is kept
// before the position passes it, and the position passes it before it is said:
// a crash between them has it read or said again, never left out.
func (s *Service) follow(ctx context.Context, w *watched) error {
	subject := events.ControlLogSubject(w.p, "*", "*", "*")
	var found []*Escalation
	n, last := 0, w.at.Seq
	err := s.cfg.Bus.LogOfFrom(ctx, w.p, subject, last+1, func(r natsbus.Record) bool {
		if e, ok := read(&r, w.p, s.cfg.Trusted, s.cfg.Text); ok {
			found = append(found, &e)
		}
		last = r.Seq
		n++
		return n < readAtOnce
	})
	if err != nil || n == 0 {
		return err
	}
	for _, e := range s.fresh(ctx, w, found) {
		if err := s.notice(ctx, w, e); err != nil {
			return err
		}
	}
	if w.at.Seq = last; len(found) == 0 && n < readAtOnce {
		return nil // costs nothing to be read again
	}
	if n == readAtOnce {
		s.poke()
	}
	return s.savePosition(ctx, w)
}

// fresh leaves out what was logged before anybody followed and is over: nobody
// wants to hear of it now.
func (s *Service) fresh(ctx context.Context, w *watched, found []*Escalation) []*Escalation {
	var old []*Escalation
	for _, e := range found {
		if e.Old = e.LogSeq <= w.at.Base; e.Old {
			old = append(old, e)
		}
	}
	if len(old) == 0 {
		return found
	}
	stand, err := s.cfg.Stand(ctx, w.p, old)
	if err != nil {
		return found // judged later, and not said before that
	}
	return slices.DeleteFunc(found, func(e *Escalation) bool {
		at := slices.Index(old, e)
		return at >= 0 && stand[at] == Closed
	})
}

// notice keeps an escalation that was read.
func (s *Service) notice(ctx context.Context, w *watched, e *Escalation) error {
	if w.open[e.ID] != nil {
		return nil
	}
	if e.Noticed = s.cfg.Now().UTC(); s.hooks != nil {
		e.Webhook = Pending
	}
	i := &item{Escalation: *e, told: map[*receiver]told{}}
	if err := s.saveNew(ctx, w, i); err != nil {
		return err
	}
	w.open[i.ID] = i
	return nil
}

// hidden reports whether an escalation is not to be said yet: it was logged
// before anybody followed, and is not known to be open.
func (i *item) hidden() bool { return i.Old && i.stands != Open }

// judge looks at the runs of what is open, those first that were not looked at
// for longest, and removes what is over and said.
func (s *Service) judge(ctx context.Context, w *watched) error {
	var look []*item
	for _, i := range w.open {
		if i.stands != Closed {
			look = append(look, i)
		}
	}
	slices.SortFunc(look, func(a, b *item) int { return cmp.Or(a.looked.Compare(b.looked), cmp.Compare(a.ID, b.ID)) })
	look = look[:min(len(look), judgeAtOnce)]
	all := make([]*Escalation, len(look))
	for k, i := range look {
		all[k] = &i.Escalation
	}
	if len(look) > 0 {
		if stand, err := s.cfg.Stand(ctx, w.p, all); err == nil { // else the processor is busy or ends: what was known holds
			s.found(look, stand)
		}
	}
	for _, i := range w.open {
		if s.over(i) {
			if err := s.remove(ctx, w, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// found notes how runs stand.
func (s *Service) found(look []*item, stand []Standing) {
	now := s.cfg.Now()
	for k, i := range look {
		i.looked = now
		if stand[k] != Unknown {
			i.stands = stand[k]
		}
		if i.stands == Closed {
			i.ended = now
		}
	}
}

// over reports whether nothing remains to be said about an escalation.
func (s *Service) over(i *item) bool {
	if i.stands != Closed || i.posting {
		return false
	}
	if i.Old && len(i.told) == 0 {
		return true
	}
	if i.Webhook == Pending && s.hooks != nil {
		return false
	}
	for _, r := range s.receivers {
		if !i.told[r].closed && s.cfg.Now().Before(i.ended.Add(validity)) {
			return false
		}
	}
	return true
}
