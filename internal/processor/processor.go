package processor

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/lease"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Config is what a processor needs; every field without a default is required.
type Config struct {
	Instance  string // names this process to the bus and to people
	Version   string // of the code, for epoch records
	Bus       *natsbus.Bus
	Owns      Ownership
	Store     state.Store
	Policy    *actions.Policy // in force on a partition until a policy event says otherwise
	HashKey   features.Key
	Signer    actions.Signer  // signs controls, verdicts and records
	Trusted   actions.KeyRing // whose records in the decision log are ours
	Operators actions.KeyRing // whose operators' acts are obeyed
	Limit     int             // largest event in bytes; 0 means events.DefaultLimit
	Batch     int             // most events of one turn; 0 means 1,000. A commit waits for a few turns at most
	Letters   int             // most dead letters of one tenant that a partition stores in an hour; 0 means 1,000
	Logger    *slog.Logger
	Metrics   *Metrics
	Now       func() time.Time // wall clock, for verdict deadlines and ticks only

	// Taken is called once for each partition that was taken and has caught up
	// with what was stored before, from a goroutine of its own; the partition
	// counts as ready when it returns. ctx ends when the processor does; nil is
	// never called.
	Taken func(ctx context.Context, partition int)

	// Boundary is called between the effects of the straight line, with the
	// name of the one just done; nil is never called. Tests kill here.
	Boundary func(effect string)
}

// Processor runs the straight line over the partitions that it is granted.
type Processor struct {
	cfg    Config
	reader *natsbus.Reader
	owners []*owner // by partition; nil where it is not ours. Run's alone
	texts  *texts
	shares letters
	ready  chan struct{}
	once   sync.Once
	asks   chan ask
	opened chan *owner
	broken chan error
	writes sync.Mutex     // one writer of the store at a time
	side   sync.WaitGroup // goroutines beside Run

	pending   []*work // answered and not committed yet
	committed time.Time
	batch     state.Batch // of the commit; its memory is used again
	idle      []*work     // to be used again

	standing atomic.Pointer[[]standing] // as of the last change of owners or commit
	blind    atomic.Pointer[[]string]   // as of the last look
	late     atomic.Int64               // when a control was last logged too late, ms since 1970
}

// New returns a processor of no partition. It refuses keys that are not those
// of the bus. Close it.
func New(ctx context.Context, cfg Config) (*Processor, error) {
	if cfg.Limit == 0 {
		cfg.Limit = events.DefaultLimit
	}
	if cfg.Batch == 0 {
		cfg.Batch = 1000
	}
	if cfg.Letters == 0 {
		cfg.Letters = defaultLetters
	}
	p := &Processor{
		cfg: cfg, texts: newTexts(cfg.Bus), owners: make([]*owner, cfg.Bus.Partitions()), ready: make(chan struct{}),
		shares: letters{most: cfg.Letters, hour: map[int]time.Time{}, count: map[share]int{}},
		asks:   make(chan ask), opened: make(chan *owner), broken: make(chan error, 1),
	}
	if err := p.checkKeys(ctx); err != nil {
		return nil, err
	}
	p.reader = cfg.Bus.NewReader(natsbus.ReaderConfig{Name: cfg.Instance})
	p.publishStatus()
	return p, nil
}

// Close stops reading. The store and the bus stay the caller's.
func (p *Processor) Close() { p.reader.Close() }

// Ready is closed when every partition that should be ours first was, and
// everything stored before it was taken had been applied.
func (p *Processor) Ready() <-chan struct{} { return p.ready }

// Partitions is how many partitions the bus has, ours or not.
func (p *Processor) Partitions() int { return len(p.owners) }

// Run applies events until ctx ends, which is no error: what was fetched by
// then is applied and committed, and all partitions are given back.
func (p *Processor) Run(ctx context.Context) error {
	bound, stop := context.WithCancel(ctx)
	defer p.side.Wait()
	defer stop()
	p.side.Go(func() { p.keepTime(bound) })
	p.side.Go(func() { p.follow(bound) })
	p.side.Go(func() { p.keepWatch(bound) })
	defer p.letGo()
	for {
		err := p.own(bound)
		if err == nil {
			err = p.turn(ctx)
		}
		switch {
		case err == nil:
		case ctx.Err() != nil && errors.Is(err, ctx.Err()):
			return p.commit()
		default:
			return err
		}
	}
}

// turn takes one batch from the bus to the control messages it leads to: the
// straight line, every effect by name and in order. What is logged is never
// taken back, so the log comes before the answers and both before the commit,
// which waits for a few batches while more is coming; after a crash anywhere
// what came since the last commit is applied again, and what the log already
// holds is not said twice.
func (p *Processor) turn(ctx context.Context) error {
	msgs, err := p.fetch(ctx)
	if err != nil {
		return err
	}
	if len(msgs) == 0 {
		return p.commit()
	}
	ctx = context.WithoutCancel(ctx) // a batch under way is finished
	batch := p.decode(msgs)
	if err := p.step(batch); err != nil {
		return err
	}
	if err := p.fill(ctx, batch); err != nil {
		return err
	}
	if err := p.log(ctx, batch); err != nil {
		return err
	}
	p.answer(ctx, batch)
	return p.settle(batch)
}

// done marks the boundary behind an effect.
func (p *Processor) done(effect string) {
	if p.cfg.Boundary != nil {
		p.cfg.Boundary(effect)
	}
}

// owner is one partition with everything that belongs to it.
type owner struct {
	number  int
	grant   *lease.Grant
	fenced  error // set once a later owner was met; nothing of it has effect any more
	part    *state.Partition
	engine  *engine.Engine
	log     *natsbus.DecisionLog
	stream  natsbus.StreamState
	logged  logged
	courses courses
	last    *work  // applied and not committed yet, the newest; nil for none
	target  uint64 // last sequence stored when the partition was opened
	due     atomic.Int64
	greets  bool        // Taken was called
	ready   atomic.Bool // Taken has returned
}
