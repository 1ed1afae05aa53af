package actions

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// MaxMessage is the largest control or verdict in bytes that a worker reads.
const MaxMessage = 2 << 20

// Encode returns the control as it is stored, signed and sent. The same
// control gives the same bytes.
func (c *Control) Encode() ([]byte, error) {
	out, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode control %s: %w", c.ID, err)
	}
	return out, nil
}

// DecodeControl reads a control. It is strict about what a worker acts on:
// version, kind, identity, times, and that the parts belong to the kind;
// fields it does not know are ignored. Verify the signature first.
func DecodeControl(data []byte) (Control, error) {
	var c Control
	if err := unmarshal(data, &c); err != nil {
		return Control{}, fmt.Errorf("decode control: %w", err)
	}
	if err := c.check(); err != nil {
		return Control{}, fmt.Errorf("decode control: %w", err)
	}
	return c, nil
}

func unmarshal(data []byte, into any) error {
	if len(data) > MaxMessage {
		return fmt.Errorf("%d bytes are above %d", len(data), MaxMessage)
	}
	return json.Unmarshal(data, into)
}

// check returns the first thing wrong with a control.
func (c *Control) check() error {
	switch {
	case c.V != Version:
		return fmt.Errorf("v: %d, want %d", c.V, Version)
	case c.ID == "" || len(c.ID) > events.MaxID:
		return errors.New("id: want 1 to 256 bytes")
	case c.Time.IsZero() || c.Expires.Before(c.Time):
		return errors.New("expires: want a time that is not before time")
	case c.Detector == "" || c.Incident == "":
		return errors.New("detector and incident: want both")
	}
	for _, name := range []string{c.Tenant, c.Agent, c.Task, c.Run} {
		if !events.ValidName(name) {
			return fmt.Errorf("identity: %q is no name", Sanitise(name, maxTool))
		}
	}
	return c.checkKind()
}

// checkKind wants the parts of a control that its kind needs, and no others.
func (c *Control) checkKind() error {
	switch c.Kind {
	case Inject, HaltRun, Escalate:
	default:
		return fmt.Errorf("kind: %q is none of ours", Sanitise(string(c.Kind), maxTool))
	}
	switch o := c.Observation; {
	case c.Kind == Inject && (o == nil || o.Content == ""):
		return errors.New("observation: is missing")
	case c.Kind != Inject && o != nil:
		return fmt.Errorf("observation: does not belong to %s", c.Kind)
	}
	switch s := c.EndStatus; {
	case c.Kind == HaltRun && (s == nil || *s != string(events.Stuck) && *s != string(events.Halted)):
		return errors.New("end_status: want stuck or halted")
	case c.Kind != HaltRun && s != nil:
		return fmt.Errorf("end_status: does not belong to %s", c.Kind)
	}
	return nil
}
