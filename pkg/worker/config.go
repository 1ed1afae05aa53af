package worker

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Config describes a run. Only Conn is required.
type Config struct {
	Conn *nats.Conn // stays the caller's; best made with MaxReconnects(-1) and RetryOnFailedConnect

	Tenant, Agent string // empty means `default` and `agent`
	Task          string // unit of work that retries and sub-agents share; empty means the run's own
	Run           string // empty makes a name; that of a run that lives re-attaches to it
	Parent        string // run that spawned this one; empty for a root
	Round         int    // on re-attaching, the last round that was reported; 0 where that is not known: rounds then go on from a number that is new
	Start         events.Start

	Trusted    actions.KeyRing // whose controls and verdicts are obeyed; empty obeys unsigned ones too
	Wait       time.Duration   // longest wait for a verdict, and for the hello in Start; 0 means 500 ms
	Linger     time.Duration   // longest that End waits until everything is stored; 0 means 5 s
	Guard      *actions.Policy // policy of the guard; nil takes the fleet's from the bus at Start, and the preset `default` where it is not to be had
	NoGuard    bool            // no guard: without an answer a call is allowed, or blocked with FailClosed
	FailClosed bool            // without an answer, and without a guard, a call is ErrBlocked
	Queue      int             // events that may wait for the bus, 32 MiB at most; 0 means 4,096. Beyond that new ones are dropped and counted
	MaxContent int             // bytes of a result, of arguments, of a text that are sent; 0 means 64 KiB. What is longer is cut
	Content    Content         // whether texts are sent; the zero value sends them without the secrets in them
	HashKey    []byte          // the tenant's key, of the digests in place of secrets and texts: at least 16 bytes with ContentHash; empty means one that this process makes
	Secrets    []string        // names of fields that hold secrets, beside those that say so (password, token, api_key …)
	Seen       string          // file of the controls that were acted on, for workers that are started anew; workers may share it. Empty keeps nothing
	Logger     *slog.Logger    // nil discards
	Now        func() time.Time
}

// complete fills defaults and names everything that does not fit.
func (c Config) complete() (Config, error) {
	var faults []error
	if c.Conn == nil {
		faults = append(faults, errors.New("Conn: required"))
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Run == "" {
		id, err := events.NewID(c.Now(), rand.Reader)
		if err != nil {
			return c, fmt.Errorf("name the run: %w", err)
		}
		c.Run = id
	}
	c.Tenant = or(c.Tenant, events.DefaultTenant)
	c.Agent = or(c.Agent, events.DefaultAgent)
	c.Task = or(c.Task, c.Run)
	for _, n := range []struct{ field, name string }{
		{"Tenant", c.Tenant}, {"Agent", c.Agent}, {"Task", c.Task}, {"Run", c.Run}, {"Parent", or(c.Parent, "none")},
	} {
		if !events.ValidName(n.name) {
			faults = append(faults, fmt.Errorf("%s: %q is no name: use letters, digits, - and _, or events.EscapeName", n.field, n.name))
		}
	}
	if c.Parent == c.Run {
		faults = append(faults, errors.New("Parent: a run cannot be its own parent"))
	}
	if c.Round < 0 || c.Round > events.MaxRound/2 || c.Wait < 0 || c.Linger < 0 || c.Queue < 0 || c.MaxContent < 0 {
		faults = append(faults, errors.New("Round, Wait, Linger, Queue, MaxContent: must not be negative"))
	}
	if c.Content == ContentHash && len(c.HashKey) < leastKey {
		faults = append(faults, fmt.Errorf("HashKey: %d bytes, ContentHash needs %d or more, the same in all workers of a tenant", len(c.HashKey), leastKey))
	}
	if c.Content < ContentRedacted || c.Content > ContentRaw {
		faults = append(faults, fmt.Errorf("Content: %d is none", c.Content))
	}
	c.Wait, c.Linger = or(c.Wait, 500*time.Millisecond), or(c.Linger, 5*time.Second)
	c.Queue, c.MaxContent = or(c.Queue, 4096), or(c.MaxContent, 64<<10)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Logger = c.Logger.With("run", c.Run)
	return c, errors.Join(faults...)
}

// or is v, or fallback where v is the zero value.
func or[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}
