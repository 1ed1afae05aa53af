package trace

import (
	"errors"
	"fmt"
	"strings"
)

// maxLines bounds what one file may hold.
const maxLines = 100_000

// Parse reads a trace file. file is its name, for faults alone. Sections come
// in the order of the file. Every line that cannot be read is a Fault; the
// error joins them all, and then there are no sections.
func Parse(file string, src []byte) ([]Section, error) {
	p := parser{file: file}
	lines := strings.Split(string(src), "\n")
	if len(lines) > maxLines {
		return nil, Fault{File: file, Line: maxLines, Msg: fmt.Sprintf("more than %d lines", maxLines)}
	}
	for i, l := range lines {
		p.line = i + 1
		if err := p.read(strings.TrimSpace(strings.ToValidUTF8(l, "\uFFFD"))); err != nil {
			p.faults = append(p.faults, Fault{File: file, Line: p.line, Msg: err.Error()})
		}
	}
	for i := range p.sections {
		if s := &p.sections[i]; len(s.Events) == 0 {
			p.faults = append(p.faults, Fault{File: file, Line: s.Line, Msg: "the section tells nothing"})
		}
	}
	if len(p.faults) > 0 {
		return nil, errors.Join(p.faults...)
	}
	return p.sections, nil
}

// parser holds what the lines before have said.
type parser struct {
	file     string
	line     int
	faults   []error
	sections []Section
	story    *story // of the section under way, nil before the first
}

// read takes one line.
func (p *parser) read(line string) error {
	switch {
	case line == "" || line[0] == '#':
		return nil
	case strings.HasPrefix(line, "-- "):
		return p.title(line)
	case p.story == nil:
		return errors.New("wants a title before it: -- in plain words --")
	}
	line, want, wanted, err := cutWant(line)
	if err != nil {
		return err
	}
	s := &p.sections[len(p.sections)-1]
	before := len(s.Events)
	if err := p.story.tell(s, p.line, line); err != nil {
		return err
	}
	if !wanted {
		return nil
	}
	if len(s.Events) == before {
		return errors.New("want: the line is no event, nothing can fire on it")
	}
	s.Wants = append(s.Wants, Want{Line: p.line, At: before, Words: want})
	return nil
}

func (p *parser) title(line string) error {
	t, ok := strings.CutSuffix(strings.TrimPrefix(line, "-- "), " --")
	if t = strings.TrimSpace(t); !ok || t == "" {
		return errors.New("wants -- in plain words --")
	}
	for _, s := range p.sections {
		if s.Title == t {
			return fmt.Errorf("title: line %d has the same", s.Line)
		}
	}
	p.sections = append(p.sections, Section{Title: t, Line: p.line})
	p.story = newStory()
	return nil
}

// cutWant separates a line from the `# want` at its end.
func cutWant(line string) (rest string, words []string, wanted bool, err error) {
	const mark = "# want"
	i := strings.LastIndex(line, mark)
	if i < 1 || line[i-1] != ' ' && line[i-1] != '\t' {
		return line, nil, false, nil
	}
	tail := line[i+len(mark):]
	if tail != "" && tail[0] != ' ' && tail[0] != '\t' {
		return line, nil, false, nil
	}
	words = strings.Fields(tail)
	for _, w := range words {
		if strings.Trim(w, "abcdefghijklmnopqrstuvwxyz_") != "" {
			return "", nil, false, fmt.Errorf("want: %q is neither a kind of control nor a detector", w)
		}
	}
	return strings.TrimSpace(line[:i]), words, true, nil
}
