package escalate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Config is what a service works with.
type Config struct {
	Options
	Bus     *natsbus.Bus
	Conn    *nats.Conn
	JS      jetstream.JetStream
	Trusted actions.KeyRing // whose escalations are believed
	// Owned returns the partitions that are ours now: only their owner follows
	// a log. Where two think so for a moment, compare-and-swap lets one go on.
	Owned func() []int
	// Stand judges escalations of one partition, in their order. An error means
	// that nothing is known at the moment.
	Stand    func(ctx context.Context, p int, all []*Escalation) ([]Standing, error)
	Replicas int           // copies of the bucket where it is made; 0 means 1
	Every    time.Duration // how often logs and runs are looked at without being told; 0 means 2 s
	Logger   *slog.Logger
	Now      func() time.Time
}

// Service follows the decision logs of the partitions that are ours.
type Service struct {
	cfg       Config
	kv        jetstream.KeyValue
	parts     map[int]*watched
	receivers []*receiver // the Alertmanagers
	hooks     *hooks      // nil without a webhook
	results   chan func(context.Context)
	wake      chan struct{}
	wg        sync.WaitGroup
	open      atomic.Int64
}

// New opens the bucket, made where it is missing. Options must be valid.
func New(ctx context.Context, cfg Config) (*Service, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Every == 0 {
		cfg.Every = 2 * time.Second
	}
	kv, err := openBucket(ctx, cfg.JS, cfg.Replicas)
	if err != nil {
		return nil, err
	}
	s := &Service{
		cfg: cfg, kv: kv, parts: map[int]*watched{},
		results: make(chan func(context.Context)), wake: make(chan struct{}, 1),
	}
	for _, u := range cfg.Alertmanagers {
		s.receivers = append(s.receivers, newReceiver(u))
	}
	if cfg.Webhook != "" {
		s.hooks = &hooks{client: newClient(!cfg.AllowPrivate)}
	}
	return s, nil
}

// Open returns how many escalations of our partitions are open. It may be called
// from any goroutine.
func (s *Service) Open() int { return int(s.open.Load()) }

// Run follows and tells until ctx ends, which is no error.
func (s *Service) Run(ctx context.Context) error {
	sub, err := s.cfg.Conn.Subscribe(events.ControlSubject("*", "*", "*"), func(m *nats.Msg) {
		if bytes.Contains(m.Data, []byte(actions.Escalate)) {
			s.poke()
		}
	})
	if err != nil {
		return fmt.Errorf("follow escalations: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	ctx, stop := context.WithCancel(ctx)
	defer s.wg.Wait()
	defer stop()
	tick := time.NewTicker(s.cfg.Every)
	defer tick.Stop()
	s.round(ctx)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			s.round(ctx)
		case <-s.wake:
			s.round(ctx)
		case settle := <-s.results:
			settle(ctx)
			s.tell(ctx)
			s.count()
		}
	}
}

// poke has the logs looked at soon.
func (s *Service) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// visitPatience bounds what one partition waits for the bus.
const visitPatience = 10 * time.Second

// round looks at every partition that is ours and says what is due.
func (s *Service) round(ctx context.Context) {
	ours := s.cfg.Owned()
	maps.DeleteFunc(s.parts, func(p int, _ *watched) bool { return !slices.Contains(ours, p) })
	for _, p := range ours {
		if err := s.visit(ctx, p); err != nil {
			s.letGo(ctx, p, err)
		}
	}
	s.tell(ctx)
	s.count()
}

// visit reads what is new in a log and how the runs stand of what is open.
func (s *Service) visit(ctx context.Context, p int) error {
	ctx, cancel := context.WithTimeout(ctx, visitPatience)
	defer cancel()
	w := s.parts[p]
	if w == nil {
		var err error
		if w, err = s.take(ctx, p); err != nil {
			return err
		}
		s.parts[p] = w
	}
	if err := s.follow(ctx, w); err != nil {
		return err
	}
	return s.judge(ctx, w)
}

// letGo forgets a partition: what is kept of it is read again when it is ours
// the next time.
func (s *Service) letGo(ctx context.Context, p int, err error) {
	delete(s.parts, p)
	if !errors.Is(err, errMoved) && ctx.Err() == nil {
		s.cfg.Logger.Warn("escalations cannot be followed; it is tried again", "partition", p, "error", err)
	}
}

// count publishes how many are open.
func (s *Service) count() {
	n := 0
	for _, w := range s.parts {
		for _, i := range w.open {
			if i.stands != Closed && !i.hidden() {
				n++
			}
		}
	}
	s.open.Store(int64(n))
}

// send runs f beside the loop and what it returns inside.
func (s *Service) send(ctx context.Context, f func(context.Context) func(context.Context)) {
	s.wg.Go(func() {
		settle := f(ctx)
		select {
		case s.results <- settle:
		case <-ctx.Done():
		}
	})
}
