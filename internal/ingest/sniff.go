package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var errUnknown = errors.New("no known transcript format: say which with --format " + names())

// recognise tells the format from the beginning of a file, and reads no more
// of it than it needs to: a live trace is not waited for.
func recognise(r *bufio.Reader) (Format, error) {
	for want := 1; ; {
		_, err := r.Peek(want)
		seen, _ := r.Peek(r.Buffered())
		f, sure := sniff(seen)
		if sure || err != nil || len(seen) >= peek {
			if f == Auto && len(bytes.TrimSpace(seen)) > 0 {
				return Auto, errUnknown
			}
			if f == Auto {
				f = Loopwatch // an empty file is an empty trace
			}
			return f, nil
		}
		if want = len(seen) + 1; len(seen) > 1<<12 {
			want = min(2*len(seen), peek)
		}
	}
}

// sniff judges by the members and roles at the beginning of a file. It is sure
// where something stands there that only one format has; otherwise it says
// what it looks like so far.
func sniff(seen []byte) (f Format, sure bool) {
	s := sniffer{}
	for len(seen) > 0 && !s.sure {
		s.v, s.kind = false, false
		dec := jsontext.NewDecoder(bytes.NewReader(seen), lenient)
		if !s.read(dec) {
			break
		}
		_, rest, ok := bytes.Cut(seen[min(dec.InputOffset(), int64(len(seen))):], []byte("\n")) // past a line that is no JSON
		if !ok {
			break
		}
		seen = rest
	}
	return s.likely, s.sure
}

// deepest is how deep a sign may stand.
const deepest = 8

// sniffer remembers what it looks like, and the two halves of our own head.
type sniffer struct {
	likely  Format
	sure    bool
	v, kind bool
}

// read looks at value after value and reports whether it ended at something
// that is no JSON.
func (s *sniffer) read(dec *jsontext.Decoder) bool {
	var path []string // names of the objects around, arrays being transparent
	for !s.sure {
		token, err := dec.ReadToken()
		if err != nil {
			return !ended(err)
		}
		if dec.StackDepth() > deepest {
			continue
		}
		if dec.StackDepth() == 0 {
			s.v, s.kind = false, false
		}
		parent, n := dec.StackIndex(dec.StackDepth())
		switch {
		case token.Kind() == '"' && parent == '{' && n%2 == 1:
			path = append(path[:depth(dec)-1], token.String())
			s.name(strings.Join(path, "."))
		case token.Kind() == '"':
			s.text(strings.Join(path[:min(len(path), depth(dec))], "."), token.String())
		case token.Kind() == '0' && depth(dec) == 1 && path[0] == "v":
			s.v = true
			s.ours()
		}
	}
	return false
}

// ended reports whether what was read is at its end, if in the middle of a
// value.
func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// depth is how many objects are open.
func depth(dec *jsontext.Decoder) int {
	objects := 0
	for i := 1; i <= dec.StackDepth(); i++ {
		if k, _ := dec.StackIndex(i); k == '{' {
			objects++
		}
	}
	return objects
}

func (s *sniffer) is(f Format) { s.likely, s.sure = f, true }

func (s *sniffer) ours() {
	if s.v && s.kind {
		s.is(Loopwatch)
	}
}

// name judges by a member's path.
func (s *sniffer) name(path string) {
	if f, ok := telling[path]; ok {
		s.is(f)
	}
	if f, ok := hinting[path]; ok && s.likely == Auto {
		s.likely = f
	}
}

// text judges by a member's path and value.
func (s *sniffer) text(path, value string) {
	if path == "kind" {
		s.kind = true
		s.ours()
	}
	if f, ok := telling[path+"="+value]; ok {
		s.is(f)
	}
	if strings.HasSuffix(path, "type") && !strings.Contains(path, "content") && (strings.HasSuffix(value, "_call") || strings.HasSuffix(value, "_call_output")) {
		switch path {
		case "type", "input.type", "output.type", "payload.type":
			s.is(OpenAIResponses)
		}
	}
}
