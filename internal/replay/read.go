package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

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

// ReadFile feeds every event of a trace file (.jsonl, .jsonl.gz, or - for
// stdin) to fn, in order, with its line. Lines that cannot be read go to fault
// and the rest is read. The error is of the file, or of fn.
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
		if len(line) > 0 {
			if ferr := feedLine(name, n, line, fn, fault); ferr != nil {
				return ferr
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: line %d: %w", name, n, err)
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

// Open opens a file, unpacked where its name ends in .gz, or stdin for -. The
// function it returns closes it.
func Open(name string, stdin io.Reader) (io.Reader, func(), error) {
	if name == "-" {
		return stdin, func() {}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("open trace: %w", err)
	}
	if !strings.HasSuffix(name, ".gz") {
		return f, func() { _ = f.Close() }, nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		_ = f.Close()
		return nil, nil, fmt.Errorf("open trace %s: %w", name, err)
	}
	return z, func() { _ = z.Close(); _ = f.Close() }, nil
}
