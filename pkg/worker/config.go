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
	Task          string // empty means the run's own
	Run           string // empty makes one
	Parent        string // run that spawned this one
	Start         events.Start

	Trusted    actions.KeyRing // whose controls and verdicts are obeyed; empty obeys unsigned ones too
	Wait       time.Duration   // longest wait for a verdict; 0 means 500 ms
	Guard      *actions.Policy // policy of the guard; nil means the preset `default`
	NoGuard    bool            // no guard: without an answer a call is allowed, or blocked with FailClosed
	FailClosed bool
	Queue      int          // events that may wait for the bus; 0 means 4,096. Beyond that new ones are dropped and counted
	MaxContent int          // bytes of a result's content that are sent; 0 means 64 KiB. Longer content is cut
	Logger     *slog.Logger // nil discards
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
	for _, n := range []struct{ field, name string }{{"Tenant", c.Tenant}, {"Agent", c.Agent}, {"Task", c.Task}, {"Run", c.Run}} {
		if !events.ValidName(n.name) {
			faults = append(faults, fmt.Errorf("%s: %q is no name: use letters, digits, - and _, or events.EscapeName", n.field, n.name))
		}
	}
	if c.Wait < 0 || c.Queue < 0 || c.MaxContent < 0 {
		faults = append(faults, errors.New("Wait, Queue, MaxContent: must not be negative"))
	}
	c.Wait, c.Queue, c.MaxContent = orInt(c.Wait, 500*time.Millisecond), orInt(c.Queue, 4096), orInt(c.MaxContent, 64<<10)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, errors.Join(faults...)
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func orInt[T int | time.Duration](n, fallback T) T {
	if n == 0 {
		return fallback
	}
	return n
}
