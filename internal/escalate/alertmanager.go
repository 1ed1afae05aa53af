package escalate

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	validity   = 5 * time.Minute // an alert that is not posted again by then is resolved
	repost     = time.Minute
	mostAlerts = 100 // in one post
)

// receiver is one Alertmanager. One post at a time is under way to it.
type receiver struct {
	url    string
	client *http.Client
	busy   bool
	fails  int
	next   time.Time // not before
}

func newReceiver(base string) *receiver {
	return &receiver{url: strings.TrimSuffix(base, "/") + "/api/v2/alerts", client: newClient(false)}
}

// tell posts to every Alertmanager what is due, and to the webhook what is
// pending. Nothing here waits.
func (s *Service) tell(ctx context.Context) {
	for _, r := range s.receivers {
		s.tellAlerts(ctx, r)
	}
	if s.hooks != nil {
		s.tellHooks(ctx)
	}
}

// tellAlerts posts the alerts that an Alertmanager must hear of now, those that
// it never heard of first.
func (s *Service) tellAlerts(ctx context.Context, r *receiver) {
	now := s.cfg.Now()
	if r.busy || now.Before(r.next) {
		return
	}
	var due []*item
	for _, w := range s.parts {
		for _, i := range w.open {
			if i.due(r, now) {
				due = append(due, i)
			}
		}
	}
	if len(due) == 0 {
		return
	}
	slices.SortFunc(due, func(a, b *item) int {
		return cmp.Or(a.told[r].at.Compare(b.told[r].at), a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID))
	})
	due = due[:min(len(due), mostAlerts)]
	alerts := make([]alert, len(due))
	closed := make([]bool, len(due))
	for k, i := range due {
		until := now.Add(validity)
		if closed[k] = i.stands == Closed && !i.told[r].at.IsZero(); closed[k] {
			until = later(i.ended, i.Time.Add(time.Millisecond)) // clocks differ, and an end before the start is refused
		}
		alerts[k] = i.alert(&s.cfg.Options, until.UTC())
	}
	body, err := json.Marshal(alerts)
	if err != nil {
		s.cfg.Logger.Error("alerts could not be encoded", "error", err)
		return
	}
	r.busy = true
	s.send(ctx, func(ctx context.Context) func(context.Context) {
		err := post(ctx, r.client, r.url, nil, body)
		return func(context.Context) { s.toldAlerts(r, due, closed, now, err) }
	})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// due reports whether an Alertmanager must hear of an escalation. What is over
// before it was ever said is said first and resolved next.
func (i *item) due(r *receiver, now time.Time) bool {
	t := i.told[r]
	switch {
	case i.hidden() && t.at.IsZero():
		return false
	case t.at.IsZero():
		return true
	case i.stands == Closed:
		return !t.closed
	}
	return now.Sub(t.at) >= repost
}

// toldAlerts notes what became of a post.
func (s *Service) toldAlerts(r *receiver, due []*item, closed []bool, at time.Time, err error) {
	r.busy = false
	if err != nil {
		r.fails++
		r.next = s.cfg.Now().Add(min(pauseAfter(r.fails), repost/2))
		s.cfg.Logger.Warn("an Alertmanager does not take alerts; it is tried again",
			"alerts", len(due), "attempt", r.fails, "error", fmt.Errorf("tell escalations: %w", err))
		return
	}
	r.fails = 0
	for k, i := range due {
		i.told[r] = told{at: at, closed: closed[k]}
	}
}
