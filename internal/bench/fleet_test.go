package bench

import (
	"bytes"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func all(t *testing.T, f Fleet) (out [][]byte) {
	t.Helper()
	err := f.Each(func(subject, id string, data []byte) error {
		e, err := events.Decode(data, 0)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if e.ID != id || subject != events.EventSubject(e.Tenant, e.Agent, e.Task, e.Run) {
			t.Fatalf("%s is published as %s on %s", data, id, subject)
		}
		out = append(out, bytes.Clone(data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAFleetIsWhatWasAskedFor(t *testing.T) {
	for name, f := range map[string]Fleet{
		"long runs":  {Seed: 1, Events: 5000, Active: 100, Size: 600, Loops: 0.05},
		"large":      {Seed: 2, Events: 3000, Active: 100, Size: 2000, Loops: 0.05},
		"short runs": {Seed: 3, Events: 5000, Active: 100, Size: 600, Short: true},
	} {
		t.Run(name, func(t *testing.T) {
			once, again := all(t, f), all(t, f)
			if len(once) != f.Events {
				t.Fatalf("%d events, want %d", len(once), f.Events)
			}
			size := 0
			for i := range once {
				if size += len(once[i]); !bytes.Equal(once[i], again[i]) {
					t.Fatalf("event %d is made as\n%s\nand as\n%s", i, once[i], again[i])
				}
			}
			if mean := size / len(once); mean < f.Size*8/10 || mean > f.Size*12/10 {
				t.Errorf("%d bytes each, want %d within a fifth", mean, f.Size)
			}
			f.Seed++
			if other := all(t, f); bytes.Equal(once[0], other[0]) {
				t.Error("another seed makes the same events")
			}
		})
	}
}

func TestOneRunIsOneRun(t *testing.T) {
	calls, seq := 0, uint64(0)
	err := Fleet{Seed: 1, Size: 600}.One(300, func(e events.Event) error {
		if seq++; e.Seq != seq || e.StreamSeq != seq || e.Run != "r1" {
			t.Fatalf("event %d is %d of %s, at %d", seq, e.Seq, e.Run, e.StreamSeq)
		}
		if err := e.Validate(); err != nil {
			t.Fatal(err)
		}
		if e.Kind == events.ToolCall {
			calls++
		}
		return nil
	})
	if err != nil || calls != 300 {
		t.Errorf("%d calls (%v), want 300", calls, err)
	}
}
