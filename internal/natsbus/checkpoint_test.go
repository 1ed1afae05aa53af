package natsbus

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestVerify(t *testing.T) {
	// The stream holds events 1 to 10 when the checkpoint is taken at its Seq.
	for name, test := range map[string]struct {
		seq    uint64
		change func(t *testing.T, f *fixture, s jetstream.Stream)
		forge  func(*Checkpoint)
		want   Standing
	}{
		"nothing applied yet":             {0, nil, nil, Sound},
		"in the middle":                   {5, nil, nil, Sound},
		"at the end":                      {10, nil, nil, Sound},
		"more was stored":                 {10, func(t *testing.T, f *fixture, s jetstream.Stream) { f.publish(t, 0, 11, 5) }, nil, Sound},
		"the checkpoint's event is gone":  {5, func(t *testing.T, f *fixture, s jetstream.Stream) { purge(t, s, jetstream.WithPurgeSequence(6)) }, nil, Sound},
		"it was taken out of the middle":  {5, func(t *testing.T, f *fixture, s jetstream.Stream) { remove(t, s, 5) }, nil, Sound},
		"the next event is gone":          {5, func(t *testing.T, f *fixture, s jetstream.Stream) { purge(t, s, jetstream.WithPurgeSequence(7)) }, nil, Behind},
		"nothing applied, the first gone": {0, func(t *testing.T, f *fixture, s jetstream.Stream) { purge(t, s, jetstream.WithPurgeSequence(2)) }, nil, Behind},
		"all events are gone":             {5, func(t *testing.T, f *fixture, s jetstream.Stream) { purge(t, s) }, nil, Behind},
		"all are gone after the last":     {10, func(t *testing.T, f *fixture, s jetstream.Stream) { purge(t, s) }, nil, Sound},
		"recreated":                       {5, func(t *testing.T, f *fixture, s jetstream.Stream) { f.recreate(t, 0); f.publish(t, 0, 1, 10) }, nil, Recreated},
		"recreated, creation unknown": {5, func(t *testing.T, f *fixture, s jetstream.Stream) { f.recreate(t, 0); f.publish(t, 0, 101, 10) },
			func(c *Checkpoint) { c.Created = time.Time{} }, Differs},
		"recreated, shorter, creation unknown": {5, func(t *testing.T, f *fixture, s jetstream.Stream) { f.recreate(t, 0) },
			func(c *Checkpoint) { c.Created = time.Time{} }, Backwards},
		"the stream lost its end": {10, nil, func(c *Checkpoint) { c.Seq = 11 }, Backwards},
		"another event":           {5, nil, func(c *Checkpoint) { c.Digest[0]++ }, Differs},
		"digest unknown":          {5, nil, func(c *Checkpoint) { c.Digest = [16]byte{} }, Sound},
		"deleted": {5, func(t *testing.T, f *fixture, s jetstream.Stream) {
			if err := f.js.DeleteStream(testContext(t), events.EventStream(0)); err != nil {
				t.Fatal(err)
			}
		}, nil, Gone},
	} {
		t.Run(name, func(t *testing.T) {
			f, ctx := newFixture(t, 1), testContext(t)
			s := f.recreate(t, 0)
			f.publish(t, 0, 1, 10)
			state, err := f.EventState(ctx, 0)
			if err != nil {
				t.Fatal(err)
			}
			c := Checkpoint{Seq: test.seq, Created: state.Created}
			if test.seq > 0 {
				m, err := f.Event(ctx, 0, test.seq)
				if err != nil {
					t.Fatal(err)
				}
				c.Digest = Digest(&m)
			}
			if test.forge != nil {
				test.forge(&c)
			}
			if test.change != nil {
				test.change(t, f, s)
			}
			got, _, err := f.Verify(ctx, 0, c)
			if got != test.want || err != nil {
				t.Errorf("Verify says %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestVerifyCannotAsk(t *testing.T) {
	f := newFixture(t, 1)
	f.nc.Close()
	if _, _, err := f.Verify(testContext(t), 0, Checkpoint{}); err == nil {
		t.Error("Verify without a connection has no error")
	}
}

func TestDigestTellsEventsApart(t *testing.T) {
	seen := map[[16]byte]string{}
	for name, m := range map[string]Msg{
		"one":             {Subject: "a", Data: []byte("bc")},
		"other cut":       {Subject: "ab", Data: []byte("c")},
		"other data":      {Subject: "a", Data: []byte("bd")},
		"without data":    {Subject: "abc"},
		"without subject": {Data: []byte("abc")},
	} {
		d := Digest(&m)
		if other, ok := seen[d]; ok || d == ([16]byte{}) {
			t.Errorf("%q has the digest of %q, or none", name, other)
		}
		seen[d] = name
	}
}
