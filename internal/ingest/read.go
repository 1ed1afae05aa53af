package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// peek is how much of a file is looked at to tell its format.
const peek = 1 << 18

// ReadFile feeds every event of a file (plain or packed, or - for stdin) to fn, in
// order, each with its line of a trace. What cannot be read goes to fault and
// the rest is read; so does the place where a damaged file ends. Auto tells the
// format by content; a trace of our own is read line by line as replay.ReadFile
// does. The error is of opening the file, or of fn.
func ReadFile(name string, stdin io.Reader, f Format, fn func(e events.Event, raw []byte) error, fault func(replay.Fault)) error {
	in, done, err := replay.Open(name, stdin)
	if err != nil {
		return err
	}
	defer done()
	return Read(name, in, f, fn, fault)
}

// Read is ReadFile on what is open already; name is for faults, and names the
// runs that have no name of their own.
func Read(name string, in io.Reader, f Format, fn func(e events.Event, raw []byte) error, fault func(replay.Fault)) error {
	r := bufio.NewReaderSize(in, peek)
	if f == Auto {
		var err error
		if f, err = recognise(r); err != nil {
			fault(replay.Fault{File: name, Line: 1, Err: err})
			return nil //nolint:nilerr // handed to fault; other files are read
		}
	}
	if f == Loopwatch {
		return replay.Read(name, r, fn, fault)
	}
	t := &teller{source: sourceName(name), format: f, runs: map[string]*run{}, emit: fn}
	t.fault = func(at where, err error) { fault(replay.Fault{File: name, Line: at.line, Err: err}) }
	im := newImporter(f, t)
	to := func(rec record) error {
		if err := im.take(rec); err != nil {
			t.flawed(rec.at, err)
		}
		return t.err
	}
	seen, err := r.Peek(1)
	if len(seen) == 0 {
		t.damaged(1, err)
		return nil
	}
	if isLines(r) {
		err = lines(r, streams[f], to, t)
	} else {
		err = document(r, streams[f], to, t)
	}
	if err == nil {
		im.finish()
		err = t.err
	}
	return err
}

// sourceName is the file's name as it was typed, without what only says how it
// is packed.
func sourceName(name string) string {
	if name == "-" {
		return "stdin"
	}
	s := filepath.ToSlash(filepath.Clean(name))
	for _, ext := range []string{".gz", ".jsonl", ".ndjson", ".json", ".traj"} {
		if cut := strings.TrimSuffix(s, ext); cut != "" && !strings.HasSuffix(cut, "/") {
			s = cut
		}
	}
	return s
}

// damaged reports where reading the file itself came to an end, other than by
// its own.
func (t *teller) damaged(line int, err error) {
	if err != nil && !errors.Is(err, io.EOF) {
		t.flawed(where{line: line}, fmt.Errorf("nothing can be read from here on: %w", err))
	}
}

// document walks JSON values that reach over lines. A fault of syntax ends it:
// what stands behind has no known place.
func document(r io.Reader, members []string, to func(record) error, t *teller) error {
	w := newWalker(r, 1, members, to)
	return t.broken(w, w.all())
}

// lines walks a file of one JSON value a line; each is read for itself.
func lines(r *bufio.Reader, members []string, to func(record) error, t *teller) error {
	for n := 1; ; n++ {
		line, err := readLine(r)
		if err != nil && !errors.Is(err, io.EOF) {
			t.damaged(n, err)
			return nil
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			w := newWalker(bytes.NewReader(line), n, members, to)
			werr := w.all()
			if len(line) > maxRecord {
				werr = errTooLarge
			}
			if ferr := t.broken(w, werr); ferr != nil {
				return ferr
			}
		}
		if err != nil {
			return nil //nolint:nilerr // the end of the file
		}
	}
}

// readLine returns the next line, cut where it is longer than a record may be.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxRecord+1-min(len(line), maxRecord+1))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
