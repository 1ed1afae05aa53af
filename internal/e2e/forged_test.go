package e2e

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// A worker that trusts a processor obeys what it signed for this run, while it
// is valid, and nothing else that arrives on its subjects.
func TestForgedControls(t *testing.T) {
	s := newStage(t, "sundry")
	data, _ := s.manned()
	r := s.worker(data, worker.Config{Agent: "support", Task: "order-1", Run: "r1"})
	other := s.worker(data, worker.Config{Agent: "support", Task: "order-1", Run: "r2"})
	s.act(events.Operator{Action: "halt", Scope: events.Scope{Task: "order-1", Run: "r2"}})
	receive(t, "r2's halt", other.Done())
	genuine := s.signer(data)
	forger, err := actions.GenerateSigner(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	live := events.ControlSubject("default", "support", "r1")
	halt := other.Halted().Control
	halt.ID, halt.Run = "ctl_forged", "r1"
	body, err := halt.Encode()
	if err != nil {
		t.Fatal(err)
	}
	theirs := other.Halted().Control
	taken, err := theirs.Encode()
	if err != nil {
		t.Fatal(err)
	}
	old := halt
	old.ID, old.Time, old.Expires = "ctl_old", time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour)
	expired, err := old.Encode()
	if err != nil {
		t.Fatal(err)
	}
	withheld := halt
	withheld.ID, withheld.Reason = "ctl_withheld", actions.Shadow
	shadow, err := withheld.Encode()
	if err != nil {
		t.Fatal(err)
	}
	verdict := events.VerdictSubject("default", "support", "r1", "token")
	for _, forged := range []struct {
		subject, sig string
		body         []byte
	}{
		{live, "", body},
		{live, forger.Sign(actions.DomainControl, live, body), body},
		{live, genuine.Sign(actions.DomainControl, events.ControlSubject("default", "support", "r2"), taken), taken},
		{live, genuine.Sign(actions.DomainRecord, live, body), body},
		{live, genuine.Sign(actions.DomainControl, live, expired), expired},
		{live, genuine.Sign(actions.DomainControl, live, shadow), shadow},
		{live, "", []byte(`{"stream":"LW_EV_00","seq":7}`)}, // a server can be made to send this
		{verdict, "", []byte(`{"v":1,"event":"e1","decision":"halt","controls":[],"replay":null}`)},
	} {
		m := nats.NewMsg(forged.subject)
		m.Data = forged.body
		if forged.sig != "" {
			m.Header.Set(actions.SignatureHeader, forged.sig)
		}
		if err := s.nc.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
	}
	s.alive(r)
	s.until("the expired halt is acknowledged", func() bool { return s.stored("order-1", "ctl_old") == events.Expired })
	if r.Halted() != nil {
		t.Fatalf("halted by %+v", r.Halted().Control)
	}
	s.act(events.Operator{Action: "halt", Scope: events.Scope{Task: "order-1", Run: "r1"}})
	receive(t, "the genuine halt", r.Done())
	if c := r.Halted().Control; c.ID != s.acted("r1")[0].ID {
		t.Errorf("halted by %+v", c)
	}
}

// signer is the key that a processor signs with.
func (s *stage) signer(data string) actions.Signer {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(data, "keys", "control.key"))
	if err != nil {
		s.t.Fatal(err)
	}
	key, err := actions.ParseSigner(string(text))
	if err != nil {
		s.t.Fatal(err)
	}
	return key
}

// stored returns how a control was acknowledged on the task's partition, empty
// where it was not.
func (s *stage) stored(task, control string) events.Outcome {
	s.t.Helper()
	p := events.Partition("default", task, partitions)
	at, err := s.bus.EventState(s.bounded(), p)
	if err != nil {
		s.t.Fatal(err)
	}
	for seq := at.First; seq <= at.Last; seq++ {
		m, err := s.bus.Event(s.bounded(), p, seq)
		if err != nil {
			s.t.Fatal(err)
		}
		if e, err := events.Decode(m.Data, events.DefaultLimit); err == nil && e.Ack != nil && e.Ack.Control == control {
			return e.Ack.Outcome
		}
	}
	return ""
}
