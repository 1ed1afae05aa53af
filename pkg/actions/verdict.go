package actions

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Ruling is what a worker is to do with the call it asked about.
type Ruling string

const (
	Allow      Ruling = "allow"  // execute it
	ReplayCall Ruling = "replay" // hand back the result of an earlier call instead
	RefuseCall Ruling = "halt"   // execute nothing more
)

// Verdict answers a check before dispatch, or a hello.
type Verdict struct {
	V        int       `json:"v"`
	Event    string    `json:"event"`             // id of the event that asked
	CallID   string    `json:"call_id,omitempty"` // of a check; empty in the answer to a hello
	LastSeq  *uint64   `json:"last_seq,omitempty"`
	Time     time.Time `json:"time,omitzero"` // server's, in the answer to a hello; zero in a check's
	Decision Ruling    `json:"decision"`
	Controls []Control `json:"controls"` // not yet acknowledged, oldest first
	Replay   *Answer   `json:"replay"`   // of a replay, nil otherwise
}

// Answer is the result that stands in for executing a call.
type Answer struct {
	OfCallID string         `json:"of_call_id"`
	Content  jsontext.Value `json:"content"` // as the tool gave it, any JSON
	Label    string         `json:"label"`   // tells the model that nothing was executed
}

// Label returns the label of a replayed result, age old, in whole seconds; an
// age below zero is none.
func Label(ofCallID string, age time.Duration) string {
	secs := int64(max(age, 0) / time.Second)
	return fmt.Sprintf("cached result of call %s, %d s old; not executed again", Sanitise(ofCallID, maxTool), secs)
}

// Encode returns the verdict as it is signed and sent.
func (v *Verdict) Encode() ([]byte, error) {
	out, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode verdict on %s: %w", v.Event, err)
	}
	return out, nil
}

// DecodeVerdict reads a verdict, as strictly as DecodeControl reads a control.
// Verify the signature first.
func DecodeVerdict(data []byte) (Verdict, error) {
	var v Verdict
	err := unmarshal(data, &v)
	if err == nil {
		err = v.check()
	}
	if err != nil {
		return Verdict{}, fmt.Errorf("decode verdict: %w", err)
	}
	return v, nil
}

func (v *Verdict) check() error {
	switch {
	case v.V != Version:
		return fmt.Errorf("v: %d, want %d", v.V, Version)
	case v.Event == "":
		return errors.New("event: is missing")
	case v.Decision == ReplayCall && (v.Replay == nil || v.Replay.OfCallID == ""):
		return errors.New("replay: is missing")
	case v.Decision != ReplayCall && v.Replay != nil:
		return fmt.Errorf("replay: does not belong to %s", v.Decision)
	}
	switch v.Decision {
	case Allow, ReplayCall, RefuseCall:
	default:
		return fmt.Errorf("decision: %q is none of ours", Sanitise(string(v.Decision), maxTool))
	}
	for i := range v.Controls {
		if err := v.Controls[i].check(); err != nil {
			return fmt.Errorf("controls[%d]: %w", i, err)
		}
	}
	return nil
}
