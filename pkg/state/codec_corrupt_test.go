package state

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"testing"
)

// seal gives bytes that were tampered with a checksum that fits.
func seal(body []byte) []byte {
	return binary.LittleEndian.AppendUint32(append([]byte(nil), body...), crc32.Checksum(body, castagnoli))
}

func body(record []byte) []byte { return record[:len(record)-sumBytes] }

func TestCorruptionIsTold(t *testing.T) {
	b := AppendRun(nil, busyRun(5))
	for i := range b {
		for bit := range 8 {
			b[i] ^= 1 << bit
			if _, err := DecodeRun(b); err == nil || errors.Is(err, ErrNewer) {
				t.Fatalf("byte %d, bit %d flipped: %v", i, bit, err)
			}
			b[i] ^= 1 << bit
		}
		if _, err := DecodeRun(b[:i]); err == nil {
			t.Fatalf("cut after %d of %d bytes: no error", i, len(b))
		}
	}
	if _, err := DecodeRun(b); err != nil {
		t.Fatalf("as it was: %v", err)
	}
}

// Even where the checksum fits, a record that ends early or says nonsense is
// an error that names the place.
func TestNonsenseIsTold(t *testing.T) {
	whole := body(AppendRun(nil, busyRun(5)))
	for i := headBytes; i < len(whole); i++ {
		if _, err := DecodeRun(seal(whole[:i])); err == nil || !strings.Contains(err.Error(), ", byte ") {
			t.Fatalf("cut after %d of %d bytes, sealed: %v", i, len(whole), err)
		}
	}
	edit := func(f func(r *Run)) []byte {
		r := NewRun(RunID{"default", "t", "r"}, "agent", 4)
		f(r)
		return AppendRun(nil, r)
	}
	table := Table[Key]{Limit: 4}
	table.Put(3)
	table.Put(4)
	table.slots[1].hash = 3
	tests := []struct {
		name, want string
		record     []byte
	}{
		{"nothing", "0 bytes are too few", nil},
		{"another kind of record", `another kind: 't' instead of 'r'`, AppendTask(nil, &Task{})},
		{"a version to come", "version 9, of which this build knows", seal([]byte{9, 'r'})},
		{"version 0", "version 0 never was", seal([]byte{0, 'r'})},
		{"more than a run", "3 bytes are left over", seal(append(body(edit(func(*Run) {})), 1, 2, 3))},
		{"an unknown phase", "run, byte", edit(func(r *Run) { r.Phase = 9 })},
		{"more entries than the limit", "window.keys, byte", edit(func(r *Run) { r.Window.Keys = table; r.Window.Keys.Limit = 1 })},
		{"an absurd limit", "window.keys, byte", edit(func(r *Run) { r.Window.Keys.Limit = maxLimit + 1 })},
		{"a negative limit", "window.steps, byte", edit(func(r *Run) { r.Window.Steps.Limit = -1 })},
		{"an entry twice", "window.keys, byte", edit(func(r *Run) { r.Window.Keys = table })},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := DecodeRun(test.record); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v; want %q in it", err, test.want)
			}
		})
	}
}

// A count far beyond the record takes no memory before it is refused.
func TestNoMemoryForWhatIsNotThere(t *testing.T) {
	var c coder
	for _, n := range []uint64{1 << 20, 1 << 40, 1<<64 - 1} {
		b := binary.AppendUvarint([]byte{1, 'x'}, n)
		tests := map[string]func(){
			"list":  func() { var s []Step; codeSlice(&c, &s, (*Step).code) },
			"text":  func() { var s string; codeString(&c, &s) },
			"ring":  func() { var r Ring[Step]; codeRing(&c, &r, (*Step).code) },
			"table": func() { var t Table[Step]; codeTable(&c, &t, (*Step).code) },
		}
		for name, code := range tests {
			per := testing.Benchmark(func(bench *testing.B) {
				bench.ReportAllocs()
				for range bench.N {
					c.read(b, 1)
					code()
				}
			}).AllocedBytesPerOp()
			if c.err == nil || per > 4096 {
				t.Errorf("a %s of %d: %v after %d bytes", name, n, c.err, per)
			}
		}
	}
}
