package natsbus

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestOneRequestIsBoundedInBytes(t *testing.T) {
	f := newFixture(t, 1)
	body := make([]byte, 900<<10)
	for range 8 {
		if _, err := f.js.Publish(testContext(t), events.PartitionSubject(0, "default", "agent"), body); err != nil {
			t.Fatal(err)
		}
	}
	s, err := f.openSession(testContext(t), events.EventStream(0), "test", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(f.Bus)
	if err := s.pull(); err != nil {
		t.Fatal(err)
	}
	got := 0
	for ended := false; !ended; {
		select {
		case m := <-s.in:
			got += len(m.Data)
			ended = m.Reply == ""
		case <-testContext(t).Done():
			t.Fatalf("the request did not end after %d bytes", got)
		}
	}
	if got == 0 || got > s.bytes {
		t.Errorf("one request brought %d bytes, its limit is %d", got, s.bytes)
	}
}

func TestStatus(t *testing.T) {
	for name, test := range map[string]struct {
		header nats.Header
		owed   int // of 100, afterwards
		lost   bool
	}{
		"heartbeat":          {nats.Header{"Status": {"100"}}, 100, false},
		"request expired":    {nats.Header{"Status": {"408"}, "Nats-Pending-Messages": {"60"}}, 40, false},
		"request is full":    {nats.Header{"Status": {"409"}, "Nats-Pending-Messages": {"60"}}, 40, false},
		"more than was owed": {nats.Header{"Status": {"408"}, "Nats-Pending-Messages": {"101"}}, 0, false},
		"negative":           {nats.Header{"Status": {"408"}, "Nats-Pending-Messages": {"-1"}}, 100, true},
		"consumer deleted":   {nats.Header{"Status": {"409"}, "Description": {"Consumer Deleted"}}, 100, true},
		"no responders":      {nats.Header{"Status": {"503"}}, 100, true},
		"nothing":            {nil, 100, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &session{owed: 100}
			err := s.status(&nats.Msg{Header: test.header})
			if s.owed != test.owed || errors.Is(err, errLost) != test.lost || err != nil && !test.lost {
				t.Errorf("owed %d, %v, want %d, lost %v", s.owed, err, test.owed, test.lost)
			}
		})
	}
}
