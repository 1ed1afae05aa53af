package worker

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// keptSeen is how many ids of controls are kept on disk; a run gets few.
const keptSeen = 4096

// seenFile keeps the ids of the controls that were acted on, so that a worker
// that is started anew does not act on them again.
type seenFile struct {
	file    *os.File
	earlier map[string]bool // acted on before this process
}

// openSeen reads the file, made where there is none; an empty path keeps
// nothing.
func openSeen(path string) (*seenFile, error) {
	s := &seenFile{earlier: map[string]bool{}}
	if path == "" {
		return s, nil
	}
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("read seen controls: %w", err)
	}
	ids := strings.Fields(string(text))
	if i := bytes.LastIndexByte(text, '\n'); len(ids) > 0 && i != len(text)-1 {
		ids = ids[:len(ids)-1] // half a line of a process that died: it was not acted on
	}
	ids = ids[max(len(ids)-keptSeen, 0):]
	for _, id := range ids {
		s.earlier[id] = true
	}
	whole := strings.Join(ids, "\n")
	if whole != "" {
		whole += "\n"
	}
	if whole != string(text) {
		if err := os.WriteFile(path+".new", []byte(whole), 0o600); err != nil {
			return nil, fmt.Errorf("shorten seen controls: %w", err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			return nil, fmt.Errorf("shorten seen controls: %w", err)
		}
	}
	if s.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		return nil, fmt.Errorf("open seen controls: %w", err)
	}
	return s, nil
}

// note keeps one more id; it returns when that survives the process.
func (s *seenFile) note(id string) error {
	if s.file == nil || s.earlier[id] || strings.ContainsAny(id, " \t\r\n") {
		return nil
	}
	if _, err := s.file.WriteString(id + "\n"); err != nil {
		return fmt.Errorf("note seen control: %w", err)
	}
	if err := s.file.Sync(); err != nil {
		return fmt.Errorf("note seen control: %w", err)
	}
	return nil
}

func (s *seenFile) close() {
	if s.file != nil {
		_ = s.file.Close() // every id was synced
	}
}
