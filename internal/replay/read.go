package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Fault is a line that could not be read; the lines around it were.
type Fault struct {
	File string
	Line int
	Err  error
}

// Error names file and line.
func (f Fault) Error() string { return fmt.Sprintf("%s:%d: %v", f.File, f.Line, f.Err) }

// ReadFile feeds every event of a trace file (plain or packed, or - for stdin)
// to fn, in order, with its line. Lines that cannot be read go to fault and the
// rest is read; so does the place where a damaged file ends. The error is of
// opening the file, or of fn.
func ReadFile(name string, stdin io.Reader, fn func(e events.Event, raw []byte) error, fault func(Fault)) error {
	in, done, err := Open(name, stdin)
	if err != nil {
		return err
	}
	defer done()
	return Read(name, bufio.NewReaderSize(in, 1<<16), fn, fault)
}

// Read is ReadFile on what is open already; name is for faults.
func Read(name string, r *bufio.Reader, fn func(e events.Event, raw []byte) error, fault func(Fault)) error {
	for n := 1; ; n++ {
		line, err := readLine(r, events.DefaultLimit+1)
		if err != nil && !errors.Is(err, io.EOF) {
			fault(Fault{File: name, Line: n, Err: fmt.Errorf("nothing can be read from here on: %w", err)})
			return nil
		}
		if len(line) > 0 {
			if ferr := feedLine(name, n, line, fn, fault); ferr != nil {
				return ferr
			}
		}
		if err != nil {
			return nil //nolint:nilerr // the end of the file
		}
	}
}

// readLine returns the next line without its end, cut at limit bytes: what is
// longer is too long for an event and never held whole.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part[:min(len(part), limit-min(len(line), limit))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

func feedLine(name string, n int, line []byte, fn func(events.Event, []byte) error, fault func(Fault)) error {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return nil
	}
	e, err := events.Decode(line, events.DefaultLimit)
	if err != nil {
		fault(Fault{File: name, Line: n, Err: err})
		return nil //nolint:nilerr // handed to fault; the lines around it are read
	}
	return fn(e, line)
}

// Open opens a file, or stdin for -. What is packed with gzip, whatever its
// name, is unpacked; the mark that some editors put before UTF-8 is left out.
// The function it returns closes the file.
func Open(name string, stdin io.Reader) (io.Reader, func(), error) {
	if name == "-" {
		r, err := unpack(stdin)
		if err != nil {
			return nil, nil, fmt.Errorf("open stdin: %w", err)
		}
		return r, func() {}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("open trace: %w", err)
	}
	r, err := unpack(f)
	if err != nil {
		_ = f.Close()
		return nil, nil, fmt.Errorf("open trace %s: %w", name, err)
	}
	return r, func() { _ = f.Close() }, nil
}

// unpack tells from the first bytes whether r is packed. It waits for no more
// than one byte of what is neither packed nor marked.
func unpack(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if !begins(b, "\x1f\x8b") {
		return unmarked(b), nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, err
	}
	return unmarked(bufio.NewReaderSize(z, 1<<16)), nil
}

// unmarked leaves out a byte order mark.
func unmarked(b *bufio.Reader) *bufio.Reader {
	const mark = "\xef\xbb\xbf"
	if begins(b, mark) {
		_, _ = b.Discard(len(mark)) // it is in the buffer
	}
	return b
}

// begins reports whether what b holds begins with s, and reads on only as long
// as it may.
func begins(b *bufio.Reader, s string) bool {
	for n := 1; n <= len(s); n++ {
		if seen, err := b.Peek(n); err != nil || string(seen) != s[:n] {
			return false // an error comes again where it is read
		}
	}
	return true
}
