package trace

import (
	"fmt"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Section is one story of a trace file.
type Section struct {
	Title    string
	Line     int // of the title
	Settings []Setting
	Events   []events.Event // in stream order, StreamSeq from 1; a line delivered again stands twice
	Lines    []int          // of each event
	Wants    []Want         // in the order of their lines
}

// Setting is a `set` line: the policy, or one parameter, under which the
// section is told.
type Setting struct {
	Line       int
	Key, Value string
}

// Want is the demand that a line fires.
type Want struct {
	Line  int
	At    int      // index into Events
	Words []string // control kinds or detectors, each of which must fire there; none for any
}

// Silent reports whether nothing in the section may fire.
func (s *Section) Silent() bool { return len(s.Wants) == 0 }

// Wanted returns the want on an event, nil for one that must stay silent.
func (s *Section) Wanted(at int) *Want {
	for i := range s.Wants {
		if s.Wants[i].At == at {
			return &s.Wants[i]
		}
	}
	return nil
}

// Fault is one line that cannot be read.
type Fault struct {
	File string
	Line int
	Msg  string
}

// Error says where and what: "repeat.trace:12: call: wants the name of a tool".
func (f Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Msg) }
