package state

import (
	"bytes"
	"testing"
)

// Whatever the bytes, reading neither panics nor gives a run that cannot be
// written and read again. A checksum that fits is put behind them, too: else
// the fuzzer would never get past it.
func FuzzDecodeRun(f *testing.F) {
	for _, r := range []*Run{{}, NewRun(RunID{"default", "t", "r"}, "agent", 0), busyRun(3)} {
		f.Add(AppendRun(nil, r))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		fuzzRecord(t, b, DecodeRun, AppendRun)
	})
}

func FuzzDecodeTask(f *testing.F) {
	f.Add(AppendTask(nil, family([2]string{"root", ""}, [2]string{"child", "root"})))
	f.Fuzz(func(t *testing.T, b []byte) {
		fuzzRecord(t, b, DecodeTask, AppendTask)
	})
}

func FuzzDecodeMeta(f *testing.F) {
	f.Add(AppendMeta(nil, &Meta{Halts: []ScopeHalt{{Tenant: "default"}}, ClockMS: 1}))
	decode := func(b []byte) (*Meta, error) { m, err := DecodeMeta(b); return &m, err }
	f.Fuzz(func(t *testing.T, b []byte) {
		fuzzRecord(t, b, decode, AppendMeta)
	})
}

func fuzzRecord[T any](t *testing.T, b []byte, decode func([]byte) (*T, error), encode func([]byte, *T) []byte) {
	sealed := b
	if len(b) > sumBytes {
		sealed = seal(body(b))
	}
	for _, b := range [][]byte{b, sealed} {
		x, err := decode(b)
		if err != nil {
			continue
		}
		once := encode(nil, x)
		again, err := decode(once)
		if err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
		if twice := encode(nil, again); !bytes.Equal(once, twice) {
			t.Fatalf("written again it differs:\n%x\n%x", once, twice)
		}
	}
}
