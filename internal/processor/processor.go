package processor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/features"
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
	Store     state.Store
	Policy    *actions.Policy // in force on a partition until a policy event says otherwise
	HashKey   features.Key
	Signer    actions.Signer  // signs controls, verdicts and records
	Trusted   actions.KeyRing // whose records in the decision log are ours
	Operators actions.KeyRing // whose operators' acts are obeyed
	Limit     int             // largest event in bytes; 0 means events.DefaultLimit
	Batch     int             // most events applied between two commits; 0 means 1,000
	Logger    *slog.Logger
	Metrics   *Metrics
	Now       func() time.Time // wall clock, for verdict deadlines and ticks only

	// Boundary is called between the effects of the straight line, with the
	// name of the one just done; nil is never called. Tests kill here.
	Boundary func(effect string)
}

// Processor owns all partitions of a bus and runs the straight line over them.
type Processor struct {
	cfg    Config
	reader *natsbus.Reader
	owners []*owner // by partition
	texts  *texts
	ready  chan struct{}
	once   sync.Once
	status atomic.Pointer[[]Status]
	asks   chan ask
}

// New opens every partition: it verifies the checkpoints against the streams,
// raises the epoch and reads back what was already logged. It returns when the
// processor may run; Close it.
func New(ctx context.Context, cfg Config) (*Processor, error) {
	if cfg.Limit == 0 {
		cfg.Limit = events.DefaultLimit
	}
	if cfg.Batch == 0 {
		cfg.Batch = 1000
	}
	p := &Processor{cfg: cfg, texts: newTexts(cfg.Bus), ready: make(chan struct{}), asks: make(chan ask)}
	for n := range cfg.Bus.Partitions() {
		o, err := p.open(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("open partition %d: %w", n, err)
		}
		p.owners = append(p.owners, o)
	}
	p.reader = cfg.Bus.NewReader(natsbus.ReaderConfig{Name: cfg.Instance})
	for _, o := range p.owners {
		if err := p.reader.Add(o.number, o.part.Meta.Checkpoint.Seq+1, o.stream.Created); err != nil {
			p.reader.Close()
			return nil, fmt.Errorf("read partition %d: %w", o.number, err)
		}
	}
	p.publishStatus()
	return p, nil
}

// Close stops reading. The store and the bus stay the caller's.
func (p *Processor) Close() { p.reader.Close() }

// Ready is closed when everything that was stored before the start has been
// applied.
func (p *Processor) Ready() <-chan struct{} { return p.ready }

// Run applies events until ctx ends, which is no error: what was fetched by
// then is applied and committed.
func (p *Processor) Run(ctx context.Context) error {
	var side sync.WaitGroup
	bound, stop := context.WithCancel(ctx)
	defer side.Wait()
	defer stop()
	side.Go(func() { p.keepTime(bound) })
	p.checkReady()
	for {
		err := p.turn(ctx)
		switch {
		case err == nil:
			p.checkReady()
		case ctx.Err() != nil && errors.Is(err, ctx.Err()):
			return nil
		default:
			return err
		}
	}
}

// turn takes one batch from the bus to the control messages it leads to: the
// straight line, every effect by name and in order. What is logged is never
// taken back, so the log comes before the answers and both before the commit;
// after a crash anywhere the batch is applied again from the last commit, and
// what the log already holds is not said twice.
func (p *Processor) turn(ctx context.Context) error {
	msgs, err := p.fetch(ctx)
	if err != nil {
		return err
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
	return p.commit(batch)
}

// done marks the boundary behind an effect.
func (p *Processor) done(effect string) {
	if p.cfg.Boundary != nil {
		p.cfg.Boundary(effect)
	}
}

// owner is one partition with everything that belongs to it.
type owner struct {
	number int
	part   *state.Partition
	engine *engine.Engine
	log    *natsbus.DecisionLog
	stream natsbus.StreamState
	logged logged
	target uint64 // last sequence stored when the partition was opened
	due    atomic.Int64
}
