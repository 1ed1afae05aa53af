package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"runtime"
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
			if _, err := DecodeRun(b); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("byte %d, bit %d flipped: %v", i, bit, err)
			}
			b[i] ^= 1 << bit
		}
		if _, err := DecodeRun(b[:i]); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut after %d of %d bytes: %v", i, len(b), err)
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
		if _, err := DecodeRun(seal(whole[:i])); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), ", byte ") {
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
		{"another kind of record", `it is of kind 't', not 'r'`, AppendTask(nil, &Task{})},
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
			if _, err := DecodeRun(test.record); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v; want %q in it", err, test.want)
			}
		})
	}
}

func TestValuesOutOfRangeAreTold(t *testing.T) {
	big := binary.AppendUvarint(nil, 1<<33)
	tests := []struct {
		name, want string
		bytes      []byte
		code       func(*coder)
	}{
		{"32 bits", "exceeds 32 bits", big, func(c *coder) { c.u32(new(uint32)) }},
		{"64 bits", "exceeds 64 bits", bytes.Repeat([]byte{0xff}, 11), func(c *coder) { c.u64(new(uint64)) }},
		{"an enumeration", "of which 2 is the last", []byte{3}, func(c *coder) { codeEnum(c, new(Phase), Lost) }},
		{"flags", "of which 2 are known", []byte{4}, func(c *coder) { c.flags(new(bool), new(bool)) }},
		{"a text", "a text of 9 bytes where 1 are left", []byte{9, 'x'}, func(c *coder) { codeString(c, new(string)) }},
		{"a hash never spelled out", "only 0 were spelled out", []byte{distance}, func(c *coder) { c.word(new(uint64)) }},
		{"an event never spelled out", "only 0 were spelled out", []byte{distance + 5}, func(c *coder) { c.ref(new(Ref)) }},
		{"half a hash", "ends 3 bytes early", []byte{spelled, 1, 2, 3, 4, 5}, func(c *coder) { c.word(new(uint64)) }},
		{"too many periods", "10 periods, of which 9 are known", append([]byte{0, 0, 10}, make([]byte, 10)...), func(c *coder) { new(Cycles).code(c) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := coder{buf: test.bytes, reading: true, version: 1, section: "part"}
			test.code(&c)
			if c.err == nil || !strings.HasPrefix(c.err.Error(), "part, byte ") || !strings.Contains(c.err.Error(), test.want) {
				t.Errorf("%v; want %q in it", c.err, test.want)
			}
		})
	}
}

// A count takes little memory before what it counts is there.
func TestNoMemoryForWhatIsNotThere(t *testing.T) {
	garbage := bytes.Repeat([]byte{0xff}, 1<<20) // no entry begins like this
	for _, n := range []uint64{1 << 19, 1 << 40, 1<<64 - 1} {
		for name, code := range map[string]func(*coder){
			"list":  func(c *coder) { codeSlice(c, new([]Step), (*Step).code) },
			"text":  func(c *coder) { codeString(c, new(string)) },
			"ring":  func(c *coder) { codeRing(c, new(Ring[Step]), (*Step).code) },
			"table": func(c *coder) { codeTable(c, new(Table[Step]), (*Step).code) },
		} {
			b := binary.AppendVarint([]byte{1, 'x'}, maxLimit) // of a ring or table
			if name == "list" || name == "text" {
				b = b[:2]
			}
			b = append(binary.AppendUvarint(b, n), garbage...)
			var c coder
			c.read(b, 1)
			if took := bytesTaken(func() { code(&c) }); took > len(b)+1<<18 || c.err == nil && name != "text" {
				t.Errorf("a %s of %d: %v after taking %d bytes", name, n, c.err, took)
			}
		}
	}
}

// bytesTaken returns how much memory fn takes, freed or not.
func bytesTaken(fn func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}
