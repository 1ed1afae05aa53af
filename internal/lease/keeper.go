package lease

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// Config says who takes leases; every field but TTL, Replicas and Logger is
// required.
type Config struct {
	Instance   string // one token of a key; tells the instances of a fleet apart
	Home       string // names the data directory; what an earlier process of the same one held is taken up at once
	Partitions int
	TTL        time.Duration // of a lease; 0 means the fleet's, DefaultTTL for a new one
	Replicas   int           // of the bucket where it is made; 0 means 1
	Logger     *slog.Logger
}

// ErrReplaced says that another process entered the bucket under our name.
var ErrReplaced = errors.New("another process runs under this instance's name: give each its own --instance, and do not copy a data directory that is in use")

// Keeper takes, renews and gives up one instance's leases.
type Keeper struct {
	cfg     Config
	kv      jetstream.KeyValue
	nc      *nats.Conn
	ttl     time.Duration
	self    entry
	changed chan struct{}
	kick    chan struct{} // has a token when there may be something to do at once
	news    chan jetstream.KeyValueEntry

	// The rest belongs to Run, but for what mu guards.
	view     *view
	revision uint64    // of our instance's key; 0 where it is not there
	renewed  time.Time // when the last round of renewals began
	notUntil map[int]time.Time

	mu      sync.Mutex
	held    map[int]*hold
	settled bool
}

// hold is a partition's key as we wrote it.
type hold struct {
	grant    *Grant
	revision uint64
	released bool
}

var token = regexp.MustCompile(`^[A-Za-z0-9_=-]{1,128}$`)

// Open opens the bucket and enters the instance into it. Run the keeper next.
func Open(ctx context.Context, js jetstream.JetStream, cfg Config) (*Keeper, error) {
	if !token.MatchString(cfg.Instance) {
		return nil, fmt.Errorf("instance %q: letters, digits, -, _ and =, at most 128", cfg.Instance)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	kv, ttl, err := openBucket(ctx, js, cfg.TTL, max(cfg.Replicas, 1))
	if err != nil {
		return nil, err
	}
	k := &Keeper{
		cfg: cfg, kv: kv, nc: js.Conn(), ttl: ttl, view: newView(ttl), notUntil: map[int]time.Time{}, held: map[int]*hold{},
		self:    entry{Instance: cfg.Instance, Home: cfg.Home, Session: nuid.Next()},
		changed: make(chan struct{}, 1), kick: make(chan struct{}, 1), news: make(chan jetstream.KeyValueEntry),
	}
	return k, k.enter(ctx)
}

// Grants returns what is granted and was not given back, ended or not.
func (k *Keeper) Grants() []*Grant {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []*Grant
	for _, h := range k.held {
		if !h.released {
			out = append(out, h.grant)
		}
	}
	return out
}

// Changed has a token when Grants, or what a grant says, may be another since
// the token was taken. It is for one reader.
func (k *Keeper) Changed() <-chan struct{} { return k.changed }

// Release gives a grant back, at once for its owner and soon for everybody
// else. A partition is not granted again before.
func (k *Keeper) Release(g *Grant) {
	g.End()
	k.mu.Lock()
	if h := k.held[g.Partition]; h != nil && h.grant == g {
		h.released = true
	}
	k.mu.Unlock()
	signal(k.kick)
}

// Settled reports whether every partition that should be ours is.
func (k *Keeper) Settled() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.settled
}

// TTL is how long a lease lasts in this fleet.
func (k *Keeper) TTL() time.Duration { return k.ttl }

// Run keeps the leases until ctx ends. Then it takes the instance out of the
// bucket, waits until every grant has been given back, one TTL at most, and
// returns nil. ErrReplaced is the one error it ends with by itself.
func (k *Keeper) Run(ctx context.Context) error {
	watching, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	wg.Go(func() { k.watch(watching) })
	tick := time.NewTicker(k.ttl / 12)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return k.leave(context.WithoutCancel(ctx))
		case e := <-k.news:
			k.heard(e)
			continue
		case <-tick.C:
		case <-k.kick:
		}
		// A call that were cut off would leave us in the dark about its key.
		if err := k.round(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
}

// leave hands everything over.
func (k *Keeper) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, k.ttl)
	defer cancel()
	if k.revision != 0 {
		k.erase(ctx, instancePrefix+k.self.Instance, k.revision)
	}
	for {
		left := len(k.Grants()) // what is given back from here on kicks
		k.giveUp(ctx)
		if left == 0 {
			return nil
		}
		select {
		case <-k.kick:
		case <-ctx.Done():
			return nil
		}
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
