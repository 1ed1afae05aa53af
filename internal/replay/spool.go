package replay

import (
	"fmt"
	"os"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// spool keeps every line in a temporary file, so that a decision can quote
// events long past although the input cannot be sought.
type spool struct {
	file   *os.File
	starts []int64 // of each line, and the end
}

func newSpool(dir string) (*spool, error) {
	f, err := os.CreateTemp(dir, "loopwatch-replay-*")
	if err != nil {
		return nil, fmt.Errorf("create spool: %w", err)
	}
	return &spool{file: f, starts: []int64{0}}, nil
}

func (s *spool) close() error {
	err := s.file.Close()
	if rm := os.Remove(s.file.Name()); err == nil {
		err = rm
	}
	return err
}

// add keeps a line and returns its number, from 1.
func (s *spool) add(raw []byte) (uint64, error) {
	if _, err := s.file.Write(raw); err != nil {
		return 0, fmt.Errorf("write spool: %w", err)
	}
	s.starts = append(s.starts, s.starts[len(s.starts)-1]+int64(len(raw)))
	return uint64(len(s.starts) - 1), nil
}

// quote returns what the line of that number says, nothing where it cannot be
// read.
func (s *spool) quote(line uint64) actions.Quote {
	if line == 0 || line >= uint64(len(s.starts)) {
		return actions.Quote{}
	}
	raw := make([]byte, s.starts[line]-s.starts[line-1])
	if _, err := s.file.ReadAt(raw, s.starts[line-1]); err != nil {
		return actions.Quote{}
	}
	e, err := events.Decode(raw, len(raw))
	if err != nil {
		return actions.Quote{}
	}
	return actions.QuoteOf(&e)
}
