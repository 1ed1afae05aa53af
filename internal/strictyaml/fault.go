package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing wrong with a file.
type Fault struct {
	File    string // as the user named it, empty for none
	Line    int    // from 1; that of the nearest key around it for something missing
	Column  int    // from 1, 0 where it is not known
	Path    string // keys joined by dots, list items by their number in brackets; empty for the file as a whole
	Problem string // the value, and what it should have been
}

// String returns the fault as one line: file:line: path: problem.
func (f Fault) String() string {
	s := fmt.Sprintf("%d: ", f.Line)
	if f.File != "" {
		s = f.File + ":" + s
	} else {
		s = "line " + s
	}
	if f.Path != "" {
		s += f.Path + ": "
	}
	return s + f.Problem
}

// Faults are all faults of a file, by line. It is never empty where it is an
// error.
type Faults []Fault

// Error returns one line a fault.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// In returns the same faults under a file name.
func (fs Faults) In(file string) Faults {
	out := slices.Clone(fs)
	for i := range out {
		out[i].File = file
	}
	return out
}

func (fs Faults) sort() {
	slices.SortStableFunc(fs, func(a, b Fault) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Path, b.Path))
	})
}
