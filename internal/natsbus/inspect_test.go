package natsbus

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestInspectMakesNothing(t *testing.T) {
	js, ctx := emptyServer(t), testContext(t)
	if n, err := Inspect(ctx, js); n != 0 || !errors.Is(err, ErrNotProvisioned) {
		t.Errorf("Inspect of an empty server: %d, %v, want %v", n, err, ErrNotProvisioned)
	}
	info, err := js.AccountInfo(ctx)
	if err != nil || info.Streams != 0 {
		t.Errorf("afterwards there are %+v, %v", info, err)
	}
}

func TestInspectReadsTheCount(t *testing.T) {
	for noted, want := range map[string]string{"3": "", "0": `"0" is not from 1`, "many": `"many" is not from 1`, "": "holds no loopwatch bus"} {
		t.Run(noted, func(t *testing.T) {
			js, ctx := emptyServer(t), testContext(t)
			kv, err := openBucket(ctx, js, Default().bucket(MetaBucket))
			if err != nil {
				t.Fatal(err)
			}
			if noted != "" {
				if _, err := kv.PutString(ctx, partitionsKey, noted); err != nil {
					t.Fatal(err)
				}
			}
			n, err := Inspect(ctx, js)
			if want == "" && (n != 3 || err != nil) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("Inspect says %d, %v, want %q", n, err, want)
			}
		})
	}
}

func TestMissingIsAFault(t *testing.T) {
	f, ctx := newFixture(t, 2), testContext(t)
	if faults, err := f.config.Faults(ctx, f.js); len(faults) != 0 || err != nil {
		t.Errorf("a new bus has faults %v, %v", faults, err)
	}
	for _, stream := range []string{events.ControlStream(1), "KV_" + HaltsBucket} {
		if err := f.js.DeleteStream(ctx, stream); err != nil {
			t.Fatal(err)
		}
	}
	faults, err := f.config.Faults(ctx, f.js)
	want := Faults{{"LW_CTL_01", "stream", "missing", "exist"}, {"LW_HALTS", "bucket", "missing", "exist"}}
	if err != nil || !slices.Equal(faults, want) {
		t.Errorf("faults are %v, %v, want %v", faults, err, want)
	}
}

func TestDeadLettersOfAPartition(t *testing.T) {
	f, ctx := newFixture(t, 11), testContext(t)
	for _, l := range []struct {
		p   int
		seq uint64
	}{{1, 5}, {1, 70}, {10, 6}, {0, 7}} {
		if _, err := f.PutDeadLetter(ctx, l.p, l.seq, nil); err != nil {
			t.Fatal(err)
		}
	}
	for p, want := range map[int][]uint64{0: {7}, 1: {5, 70}, 2: nil, 10: {6}} {
		letters, err := f.DeadLetters(ctx, p)
		if got := slices.Sorted(maps.Keys(letters)); err != nil || !slices.Equal(got, want) {
			t.Errorf("partition %d has letters %v, %v, want %v", p, got, err, want)
		}
	}
}
