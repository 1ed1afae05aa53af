package escalate

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
)

func TestAnEscalationIsSaidAndResolved(t *testing.T) {
	s := newSite(t)
	am, hook := newEar(t), newEar(t)
	it, _ := s.run(s.config(Options{Alertmanagers: []string{am.URL}, Webhook: hook.URL + "/in"}))
	s.until("it follows", func() bool { return s.followed(0) })
	s.log(0, control("r1"))
	s.until("both were told", func() bool { said, _ := am.resolved(t, "r1"); return said && len(hook.ids()) == 1 })
	if n := it.Open(); n != 1 {
		t.Errorf("%d are open", n)
	}
	got := hook.requests()[0]
	if got.path != "/in" || got.header.Get("Idempotency-Key") != "ctl_r1" || got.header.Get("Webhook-Id") != "ctl_r1" {
		t.Errorf("the webhook's header is %v", got.header)
	}
	if _, over := am.resolved(t, "r1"); over {
		t.Error("the alert is over while the run waits")
	}
	s.says("r1", Closed)
	s.until("the alert is resolved", func() bool { _, over := am.resolved(t, "r1"); return over })
	s.until("nothing is kept", func() bool { return it.Open() == 0 && !s.kept(0, "ctl_r1") })
	if ids := hook.ids(); len(ids) != 1 {
		t.Errorf("webhooks %v", ids)
	}
}

// followed reports whether somebody has begun to follow a partition.
func (s *site) followed(p int) bool {
	kv, err := s.js.KeyValue(s.Context(), Bucket)
	if err != nil {
		return false
	}
	_, err = kv.Get(s.Context(), positionKey(p))
	return err == nil
}

func (s *site) kept(p int, id string) bool {
	s.Helper()
	kv, err := s.js.KeyValue(s.Context(), Bucket)
	if err != nil {
		s.Fatal(err)
	}
	_, err = kv.Get(s.Context(), openKey(p, id))
	return err == nil
}

// An escalation whose run ended at once is said all the same.
func TestWhatEndsAtOnceIsSaid(t *testing.T) {
	s := newSite(t)
	am, hook := newEar(t), newEar(t)
	s.says("r1", Closed)
	_, _ = s.run(s.config(Options{Alertmanagers: []string{am.URL}, Webhook: hook.URL}))
	s.until("it follows", func() bool { return s.followed(1) })
	s.log(1, control("r1"))
	s.until("it is said and resolved", func() bool { _, over := am.resolved(t, "r1"); return over && len(hook.ids()) == 1 })
	if all := am.alerts(t); !all[0].EndsAt.After(all[0].StartsAt.Add(validity / 2)) {
		t.Error("the first alert is over before anybody heard of it")
	}
}

// Nothing forged, withheld or meant for workers is said.
func TestOnlyEscalationsOfOursAreSaid(t *testing.T) {
	s := newSite(t)
	hook := newEar(t)
	_, _ = s.run(s.config(Options{Webhook: hook.URL}))
	s.until("it follows", func() bool { return s.followed(0) })
	own := s.signer
	s.signer = newSigner(t)
	s.log(0, control("forged"))
	s.signer = own
	halted := "halted"
	halt := control("halted")
	halt.Kind, halt.EndStatus = actions.HaltRun, &halted
	s.log(0, halt, control("r1"))
	s.until("the true one is said", func() bool { return slices.Contains(hook.ids(), "ctl_r1") })
	if ids := hook.ids(); len(ids) != 1 {
		t.Errorf("webhooks %v", ids)
	}
}

// What was logged before anybody followed is not a flood: only what still waits
// is said.
func TestTheFirstStartIsNoFlood(t *testing.T) {
	s := newSite(t)
	am, hook := newEar(t), newEar(t)
	for i := range 450 {
		s.says(runName(i), Closed)
		s.log(0, control(runName(i)))
	}
	s.says("later", Unknown)
	s.log(0, control("waits"), control("later"))
	it, _ := s.run(s.config(Options{Alertmanagers: []string{am.URL}, Webhook: hook.URL}))
	s.until("the one that waits is said", func() bool { said, _ := am.resolved(t, "waits"); return said && len(hook.ids()) == 1 })
	s.says("later", Open)
	s.until("so is the one that is judged later", func() bool { said, _ := am.resolved(t, "later"); return said && len(hook.ids()) == 2 })
	if n := it.Open(); n != 2 {
		t.Errorf("%d are open", n)
	}
	if n := len(am.alerts(t)); n != 2 {
		t.Errorf("%d alerts were posted", n)
	}
}

// Killed and restarted, with logs growing and receivers failing meanwhile: every
// escalation is said, and what is said twice has the same id.
func TestNoneIsLostByRestarts(t *testing.T) {
	s := newSite(t)
	hook := newEar(t)
	cfg := s.config(Options{Webhook: hook.URL})
	want := map[string]bool{}
	_, stop := s.run(cfg)
	s.until("it follows", func() bool { return s.followed(0) && s.followed(1) })
	for round := range 6 {
		if round%2 == 0 {
			hook.answer(http.StatusServiceUnavailable)
		} else {
			hook.answer(http.StatusOK)
		}
		for i := range 5 {
			run := runName(round*5 + i)
			want["ctl_"+run] = true
			s.log(i%2, control(run))
		}
		if round%3 != 0 { // sometimes before it has read anything of that
			before := len(hook.ids())
			s.until("it is at work", func() bool { return len(hook.ids()) > before })
		}
		stop()
		_, stop = s.run(cfg)
	}
	hook.answer(http.StatusOK)
	taken := func() map[string]bool {
		out := map[string]bool{}
		for _, id := range hook.ids() {
			out[id] = true
		}
		return out
	}
	s.until("all are said", func() bool { return len(taken()) == len(want) })
	for id := range taken() {
		if !want[id] {
			t.Errorf("%s was never logged", id)
		}
	}
	s.until("all are noted as sent", func() bool { return s.sent() == len(want) })
	settled := len(hook.ids())
	stop()
	_, _ = s.run(cfg)
	s.log(0, control("last"))
	s.until("the last one is said", func() bool { return slices.Contains(hook.ids(), "ctl_last") })
	if again := hook.ids()[settled:]; len(again) != 1 {
		t.Errorf("a restart said %v", again)
	}
}

// sent counts the webhooks that are noted as sent.
func (s *site) sent() (n int) {
	s.Helper()
	it := &Service{cfg: s.config(Options{})}
	var err error
	if it.kv, err = s.js.KeyValue(s.Context(), Bucket); err != nil {
		s.Fatal(err)
	}
	for p := range 2 {
		w, err := it.take(s.Context(), p)
		if err != nil {
			s.Fatal(err)
		}
		for _, i := range w.open {
			if i.Webhook == Sent {
				n++
			}
		}
	}
	return n
}

// A receiver that takes everything and answers nothing holds nobody up.
func TestAReceiverThatHangsDelaysNobodyElse(t *testing.T) {
	s := newSite(t)
	release := make(chan struct{})
	hung := newEar(t)
	hung.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	am := newEar(t)
	it, _ := s.run(s.config(Options{Alertmanagers: []string{hung.URL, am.URL}, Webhook: hung.URL}))
	s.until("it follows", func() bool { return s.followed(0) })
	for i := range 20 {
		s.log(0, control(runName(i)))
	}
	s.until("the other one has heard of all", func() bool {
		said := map[string]bool{}
		for _, a := range am.alerts(t) {
			said[a.Labels["run"]] = true
		}
		return len(said) == 20 && it.Open() == 20
	})
}

// An alert is posted again while it is open, its end moving.
func TestAnOpenAlertIsPostedAgain(t *testing.T) {
	s := newSite(t)
	am := newEar(t)
	cfg := s.config(Options{Alertmanagers: []string{am.URL}})
	var ahead atomic.Int64
	cfg.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	_, _ = s.run(cfg)
	s.until("it follows", func() bool { return s.followed(0) })
	s.log(0, control("r1"))
	s.until("it is posted", func() bool { return len(am.alerts(t)) == 1 })
	ahead.Store(int64(repost))
	s.until("it is posted again", func() bool { return len(am.alerts(t)) == 2 })
	all := am.alerts(t)
	if !all[1].EndsAt.After(all[0].EndsAt) || !all[1].StartsAt.Equal(all[0].StartsAt) {
		t.Errorf("its end goes from %v to %v", all[0].EndsAt, all[1].EndsAt)
	}
}

// A webhook that nobody takes is given up in the end; a receiver that is gone
// is not asked again.
func TestWebhooksAreGivenUp(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		ahead  time.Duration
	}{"after a day": {http.StatusBadGateway, hookLife}, "when it is gone": {http.StatusGone, 0}} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			hook := newEar(t)
			hook.answer(c.status)
			cfg := s.config(Options{Webhook: hook.URL})
			var ahead atomic.Int64
			cfg.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
			it, stop := s.run(cfg)
			s.until("it follows", func() bool { return s.followed(0) })
			s.log(0, control("r1"))
			s.until("it was tried", func() bool { return len(hook.ids()) > 0 })
			ahead.Store(int64(c.ahead))
			s.says("r1", Closed)
			s.until("it is given up and forgotten", func() bool { return it.Open() == 0 && !s.kept(0, "ctl_r1") })
			stop()
		})
	}
}
