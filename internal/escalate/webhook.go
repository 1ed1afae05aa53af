package escalate

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	hooksAtOnce = 4              // webhooks under way
	hookLife    = 24 * time.Hour // after which a webhook that nobody takes is given up
)

// hooks is the one receiver of webhooks.
type hooks struct {
	client *http.Client
	busy   int
}

// tellHooks sends pending webhooks, the oldest first.
func (s *Service) tellHooks(ctx context.Context) {
	now := s.cfg.Now()
	type job struct {
		w *watched
		i *item
	}
	var due []job
	for _, w := range s.parts {
		for _, i := range w.open {
			if i.Webhook == Pending && !i.posting && !i.hidden() && !now.Before(i.next) {
				due = append(due, job{w, i})
			}
		}
	}
	slices.SortFunc(due, func(a, b job) int {
		return cmp.Or(cmp.Compare(a.i.tries, b.i.tries), a.i.Time.Compare(b.i.Time), cmp.Compare(a.i.ID, b.i.ID))
	})
	for _, d := range due {
		if s.hooks.busy >= hooksAtOnce {
			return
		}
		body, err := d.i.hook(&s.cfg.Options)
		if err != nil {
			s.cfg.Logger.Error("a webhook could not be encoded", "control", d.i.ID, "error", err)
			d.i.next = now.Add(longestPause)
			continue
		}
		d.i.posting = true
		s.hooks.busy++
		header := signed(s.cfg.Secrets, d.i.ID, now, body)
		s.send(ctx, func(ctx context.Context) func(context.Context) {
			err := post(ctx, s.hooks.client, s.cfg.Webhook, header, body)
			return func(ctx context.Context) { s.toldHook(ctx, d.w, d.i, err) }
		})
	}
}

// signed is the header of a webhook: the same id at every attempt, the time of
// this one.
func signed(secrets []Secret, id string, at time.Time, body []byte) http.Header {
	h := http.Header{}
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	h.Set("Webhook-Signature", sign(secrets, id, at, body))
	h.Set("Idempotency-Key", id)
	return h
}

// toldHook notes what became of a webhook.
func (s *Service) toldHook(ctx context.Context, w *watched, i *item, err error) {
	s.hooks.busy--
	i.posting = false
	now := s.cfg.Now()
	switch {
	case err == nil:
		i.Webhook = Sent
	case errors.Is(err, errGone), now.Sub(i.Noticed) >= hookLife:
		i.Webhook = GivenUp
		s.cfg.Logger.Error("a webhook is given up", "control", i.ID, "attempts", i.tries+1, "error", err)
	default:
		i.tries++
		i.next = now.Add(pauseAfter(i.tries))
		s.cfg.Logger.Warn("a webhook was not taken; it is tried again", "control", i.ID, "attempt", i.tries, "error", err)
		return
	}
	if s.parts[w.p] != w {
		return // it went to another instance, which says it again under the same id
	}
	if err := s.save(ctx, w, i); err != nil {
		s.letGo(ctx, w.p, err)
	}
}
