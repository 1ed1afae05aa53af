package eval

import (
	"bufio"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
)

// Label is what a reader says of one recorded run.
type Label struct {
	Run       string `json:"run"`
	Source    string `json:"source"`
	Label     string `json:"label"` // loop, borderline or productive
	Kind      string `json:"kind"`
	FirstSeq  uint64 `json:"first_seq"` // first futile step, 0 for none
	HintSeq   uint64 `json:"hint_seq"`  // where a hint is due
	HaltSeq   uint64 `json:"halt_seq"`  // where the run deserves a halt, 0 for never
	Recovered bool   `json:"recovered"`
	Wasted    int    `json:"wasted_steps"`
	Sample    string `json:"sample"` // random: tells base rates
	Why       string `json:"why"`
}

// The labels.
const (
	Loop       = "loop"
	Borderline = "borderline"
	Productive = "productive"
)

// ReadLabels reads one label a line, by run.
func ReadLabels(in io.Reader, name string) (map[string]Label, error) {
	out := map[string]Label{}
	s := bufio.NewScanner(in)
	s.Buffer(nil, 1<<20)
	for n := 1; s.Scan(); n++ {
		if len(s.Bytes()) == 0 {
			continue
		}
		var l Label
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("read labels %s:%d: %w", name, n, err)
		}
		if l.Run == "" || l.Label != Loop && l.Label != Borderline && l.Label != Productive {
			return nil, fmt.Errorf("read labels %s:%d: want a run and a label of loop, borderline or productive", name, n)
		}
		if _, twice := out[l.Run]; twice {
			return nil, fmt.Errorf("read labels %s:%d: run %s has a label already", name, n, l.Run)
		}
		out[l.Run] = l
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("read labels %s: %w", name, err)
	}
	return out, nil
}
