package ingest

import (
	"errors"
	"io"
)

// errTooLarge says that a record is larger than maxRecord.
var errTooLarge = errors.New("a record over 32 MiB: split it")

// budget reads on only while the record in hand is not too large, and knows
// the line of an offset that was read.
type budget struct {
	in   io.Reader
	left int64
	torn error // of the reader, if not its end

	read   int64
	line   int     // of the byte at offset from
	breaks []int64 // offsets of the line breaks from there to read
}

// renew begins a new record.
func (b *budget) renew() { b.left = maxRecord }

// Read reads what the budget still allows.
func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.in.Read(p[:min(int64(len(p)), b.left)])
	for i, c := range p[:n] {
		if c == '\n' {
			b.breaks = append(b.breaks, b.read+int64(i))
		}
	}
	b.read += int64(n)
	b.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		b.torn = err
	}
	return n, err
}

// lineAt is the line of an offset; offsets must not go back.
func (b *budget) lineAt(offset int64) int {
	passed := 0
	for passed < len(b.breaks) && b.breaks[passed] < offset {
		passed++
	}
	b.breaks = append(b.breaks[:0], b.breaks[passed:]...)
	b.line += passed
	return b.line
}
