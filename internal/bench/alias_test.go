package bench

import (
	"bytes"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// A decoder's event aliases its message. What state remembers of it must not:
// messages that are overwritten once they are applied leave the same state.
func TestStateHoldsNothingOfAMessage(t *testing.T) {
	raw := lines(t, 3000)
	flushed := func(apply func(i int, step func(*events.Event))) []byte {
		part, g := partition(t, state.NewMemory())
		for i := range raw {
			apply(i, func(e *events.Event) {
				e.StreamSeq, e.Stored = uint64(i+1), e.Time
				if _, err := g.Step(e); err != nil {
					t.Fatal(err)
				}
			})
		}
		var b state.Batch
		if err := part.Flush(&b); err != nil {
			t.Fatal(err)
		}
		var out []byte
		for _, op := range b.Ops {
			out = append(append(out, op.Key...), op.Value...)
		}
		return out
	}
	want := flushed(func(i int, step func(*events.Event)) {
		e, err := events.Decode(raw[i], 0)
		if err != nil {
			t.Fatal(err)
		}
		step(&e)
	})
	var d events.Decoder
	var e events.Event
	got := flushed(func(i int, step func(*events.Event)) {
		data := bytes.Clone(raw[i])
		if err := d.Decode(data, 0, &e); err != nil {
			t.Fatal(err)
		}
		step(&e)
		for k := range data {
			data[k] = '#'
		}
	})
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes of state differ from %d: something of a message was kept", len(got), len(want))
	}
}
