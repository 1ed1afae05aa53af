package lease

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// patient bounds everything these tests wait for.
const patient = 30 * time.Second

const partitions = 8

// site is a server.
type site struct {
	*testing.T
	srv *server.Server
}

func newSite(t *testing.T) *site {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patient) {
		t.Fatal("the server does not start")
	}
	return &site{T: t, srv: s}
}

// member is a keeper with a connection of its own, and an owner that gives back
// at once what is asked for or has ended.
type member struct {
	*Keeper
	nc   *nats.Conn
	js   jetstream.JetStream
	end  context.CancelFunc
	done chan error

	leaving atomic.Bool // it gives everything back
}

func (s *site) connect() (*nats.Conn, jetstream.JetStream) {
	s.Helper()
	nc, err := nats.Connect(s.srv.ClientURL())
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		s.Fatal(err)
	}
	return nc, js
}

func (s *site) join(name, home string) *member {
	s.Helper()
	return s.joinFor(name, home, LeastTTL)
}

func (s *site) joinFor(name, home string, ttl time.Duration) *member {
	s.Helper()
	m, err := s.open(name, home, ttl)
	if err != nil {
		s.Fatal(err)
	}
	ctx, end := context.WithCancel(s.Context())
	m.end = end
	go func() { m.done <- m.Run(ctx) }()
	owner, stop := context.WithCancel(context.Background())
	s.Cleanup(stop)
	go m.own(owner)
	return m
}

func (s *site) open(name, home string, ttl time.Duration) (*member, error) {
	s.Helper()
	nc, js := s.connect()
	k, err := Open(s.Context(), js, Config{Instance: name, Home: home, Partitions: partitions, TTL: ttl})
	return &member{Keeper: k, nc: nc, js: js, done: make(chan error, 1)}, err
}

// own gives back what is asked for, what has ended, and all at the end.
func (m *member) own(ctx context.Context) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, g := range m.Grants() {
			if g.Asked() || !g.Valid() || m.leaving.Load() {
				m.Release(g)
			}
		}
	}
}

// valid counts the grants that hold.
func (m *member) valid() (n int) {
	for _, g := range m.Grants() {
		if g.Valid() {
			n++
		}
	}
	return n
}

// leave stops a member as a process does that is told to.
func (s *site) leave(m *member) {
	s.Helper()
	m.end()
	m.leaving.Store(true)
	s.ended(m, nil)
}

func (s *site) ended(m *member, want error) {
	s.Helper()
	select {
	case err := <-m.done:
		if !errors.Is(err, want) {
			s.Errorf("%s ended with %v, want %v", m.self.Instance, err, want)
		}
	case <-time.After(patient):
		s.Fatal("it does not end")
	}
}

func (s *site) until(what string, ok func() bool) {
	s.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(patient); !ok(); {
		select {
		case <-tick.C:
		case <-end:
			s.Fatalf("waited in vain until %s", what)
		}
	}
}

// shared waits until the members have the partitions evenly, and checks all
// along that no partition is granted twice.
func (s *site) shared(members ...*member) {
	s.Helper()
	s.until(fmt.Sprintf("%d members share", len(members)), func() bool {
		held, settled := map[int]string{}, true
		for _, m := range members {
			for _, g := range m.Grants() {
				if other := held[g.Partition]; g.Valid() && other != "" {
					s.Fatalf("partition %d is granted to %s and %s", g.Partition, other, m.self.Instance)
				} else if g.Valid() {
					held[g.Partition] = m.self.Instance
				}
			}
			settled = settled && m.Settled() && m.valid() <= (partitions+len(members)-1)/len(members)
		}
		return settled && len(held) == partitions
	})
}

func TestMembersComeAndGo(t *testing.T) {
	s := newSite(t)
	a := s.join("a", "1")
	s.shared(a)
	b := s.join("b", "2")
	s.shared(a, b)
	c := s.join("c", "3")
	s.shared(a, b, c)
	s.leave(b)
	s.shared(a, c)
	a.nc.Close() // dead
	s.shared(c)
	d := s.join("d", "4")
	s.shared(c, d)
}

// Whoever leaves, whenever that is, leaves nothing behind that others would have
// to wait for.
func TestLeavingLeavesNothing(t *testing.T) {
	s := newSite(t)
	_, js := s.connect()
	for i := range 30 {
		m := s.join("a", "1")
		s.until("it has begun to take", func() bool { return m.valid() > i%partitions })
		s.leave(m)
		kv, err := js.KeyValue(t.Context(), Bucket)
		if err != nil {
			t.Fatal(err)
		}
		if keys, err := kv.Keys(t.Context()); !errors.Is(err, jetstream.ErrNoKeysFound) {
			t.Errorf("it left %v, %v", keys, err)
		}
	}
}

// Whoever cannot renew has lost its grants by its own clock before the bucket
// forgets the key.
func TestGrantsLapse(t *testing.T) {
	s := newSite(t)
	a := s.join("a", "1")
	s.shared(a)
	grants := a.Grants()
	_, js := s.connect()
	kv, err := js.KeyValue(t.Context(), Bucket)
	if err != nil {
		t.Fatal(err)
	}
	a.nc.Close()
	s.until("no grant holds", func() bool {
		gone := 0
		for _, g := range grants {
			_, err := kv.Get(t.Context(), partitionKey(g.Partition))
			if valid := g.Valid(); valid && errors.Is(err, jetstream.ErrKeyNotFound) {
				t.Fatalf("the key of partition %d is gone and its grant holds", g.Partition)
			} else if !valid {
				gone++
			}
		}
		return gone == len(grants)
	})
}

// A process that starts anew on the same data directory goes on at once: what it
// held before is its own, dead though it is.
func TestTheSameHomeGoesOn(t *testing.T) {
	s := newSite(t)
	a := s.joinFor("a", "1", MostTTL) // longer than this test waits
	s.shared(a)
	a.nc.Close()
	s.shared(s.joinFor("a", "1", MostTTL))
}

func TestANameIsOneInstance(t *testing.T) {
	s := newSite(t)
	a := s.join("a", "1")
	s.shared(a)
	if _, err := s.open("a", "2", 0); err == nil || !strings.Contains(err.Error(), "one of that name runs already") {
		t.Errorf("a second of that name: %v", err)
	}
	// The data directory was copied and both run.
	b := s.join("a", "1")
	s.ended(a, ErrReplaced)
	s.shared(b)
}

// A key that somebody else wrote ends the grant, and the partition is not
// granted anew before its owner has let go of it.
func TestALostLease(t *testing.T) {
	s := newSite(t)
	m, err := s.open("a", "1", LeastTTL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	m.end = end
	go func() { m.done <- m.Run(ctx) }()
	s.until("all is granted", m.Settled)
	var lost *Grant
	for _, g := range m.Grants() {
		if g.Partition == 3 {
			lost = g
		}
	}
	kv, err := m.js.KeyValue(t.Context(), Bucket)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.PutString(t.Context(), partitionKey(3), `{"instance":"thief","home":"9","session":"x"}`); err != nil {
		t.Fatal(err)
	}
	s.until("the grant has ended", func() bool { return !lost.Valid() })
	s.until("the thief's key has expired", func() bool {
		_, err := kv.Get(t.Context(), partitionKey(3))
		return errors.Is(err, jetstream.ErrKeyNotFound)
	})
	for range 3 { // renewals of the others
		next := time.Now().Add(LeastTTL / pace)
		s.until("some time has passed", func() bool { return time.Now().After(next) })
		if m.valid() != partitions-1 || len(m.Grants()) != partitions {
			t.Fatalf("%d of %d grants hold", m.valid(), len(m.Grants()))
		}
	}
	m.Release(lost)
	s.until("it is granted anew", func() bool { return m.valid() == partitions })
	m.end()
	for _, g := range m.Grants() {
		m.Release(g)
	}
	s.ended(m, nil)
}

func TestHowLongLeasesLast(t *testing.T) {
	s := newSite(t)
	a := s.join("a", "1")
	if a.TTL() != LeastTTL {
		t.Errorf("TTL %v", a.TTL())
	}
	if _, err := s.open("b", "2", 2*LeastTTL); err == nil || !strings.Contains(err.Error(), "leases last 1s, not 2s") {
		t.Errorf("another TTL beside one that lives: %v", err)
	}
	if b, err := s.open("b", "2", 0); err != nil || b.TTL() != LeastTTL {
		t.Errorf("no TTL of its own: %v", err)
	}
	s.shared(a)
	s.leave(a)
	s.until("b's entry has expired and another TTL can be set", func() bool {
		c, err := s.open("c", "3", 2*LeastTTL)
		return err == nil && c.TTL() == 2*LeastTTL
	})
}

func TestNamesThatAreNoToken(t *testing.T) {
	for _, name := range []string{"", "a.b", "a b", "*", strings.Repeat("x", 129)} {
		if _, err := Open(t.Context(), nil, Config{Instance: name}); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
}
