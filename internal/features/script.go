package features

import "bytes"

// part is a piece of a script's source.
type part struct{ from, to int }

// command is one simple command of a script: name and arguments, without
// redirections.
type command struct {
	first, last int  // its words, as a range of script.words
	piped       bool // reads another command's output
	writes      bool // redirects its output into a file
	target      part // that file; the first where there are several
}

// document is the literal text handed to a command by a here-document.
type document struct {
	command int // index of the command that reads it
	body    part
}

// script is a shell command line taken apart: only as much of the grammar as
// tells what a command does. Substitutions are parts of their word and are not
// looked into. What is no shell at all gives commands, too.
type script struct {
	src      []byte
	words    []part
	commands []command
	docs     []document

	pos     int
	cur     command
	pending []delimiter // here-documents whose body begins on the next line
}

type delimiter struct {
	word    part
	tabs    bool // leading tabs do not count
	command int
}

// parse takes src apart; the script refers to src until the next parse.
func (s *script) parse(src []byte) {
	s.src, s.pos = src, 0
	s.words, s.commands, s.docs, s.pending = s.words[:0], s.commands[:0], s.docs[:0], s.pending[:0]
	s.cur = command{}
	for s.pos < len(src) {
		switch b := src[s.pos]; b {
		case ' ', '\t', '\r':
			s.pos++
		case '\n':
			s.pos++
			s.end(false)
			s.readDocs()
		case ';', '(', ')':
			s.pos++
			s.end(false)
		case '&', '|':
			s.operator(b)
		case '#':
			s.skipLine()
		case '<':
			s.input()
		case '>':
			s.output()
		default:
			s.word()
		}
	}
	s.end(false)
}

// end closes the command at hand.
func (s *script) end(pipe bool) {
	s.cur.last = len(s.words)
	if s.cur.last > s.cur.first || s.cur.writes {
		s.commands = append(s.commands, s.cur)
	}
	s.cur = command{first: len(s.words), last: len(s.words), piped: pipe}
}

func (s *script) operator(b byte) {
	s.pos++
	if s.pos < len(s.src) && s.src[s.pos] == '>' && b == '&' {
		s.output()
		return
	}
	double := s.pos < len(s.src) && s.src[s.pos] == b
	if double {
		s.pos++
	}
	s.end(b == '|' && !double)
}

func (s *script) skipLine() {
	if i := bytes.IndexByte(s.src[s.pos:], '\n'); i >= 0 {
		s.pos += i
		return
	}
	s.pos = len(s.src)
}

// word reads one word, quotes and substitutions included.
func (s *script) word() {
	from := s.pos
	s.pos = wordEnd(s.src, s.pos)
	if s.pos == from {
		s.pos++ // a byte that begins no word, such as a stray quote's end
	}
	s.words = append(s.words, part{from, s.pos})
}

// input reads < and what follows it: a file, a here-string or a here-document.
func (s *script) input() {
	rest := s.src[s.pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("<<<")):
		s.pos += 3
		s.operand()
	case bytes.HasPrefix(rest, []byte("<<")):
		s.pos += 2
		tabs := s.pos < len(s.src) && s.src[s.pos] == '-'
		if tabs {
			s.pos++
		}
		if w := s.operand(); w.to > w.from {
			s.pending = append(s.pending, delimiter{w, tabs, len(s.commands)})
		}
	case bytes.HasPrefix(rest, []byte("<(")):
		s.word()
	case s.comparing():
		s.pos++
	default:
		s.pos++
		s.operand()
	}
}

// output reads > and its target. /dev/null and other descriptors are no files.
func (s *script) output() {
	s.dropDescriptor()
	s.pos++
	if s.comparing() {
		return
	}
	for s.pos < len(s.src) && (s.src[s.pos] == '>' || s.src[s.pos] == '|') {
		s.pos++
	}
	if s.pos < len(s.src) && s.src[s.pos] == '&' {
		s.pos++
		w := s.operand()
		if t := s.src[w.from:w.to]; len(t) == 0 || isDigit(t[0]) || t[0] == '-' {
			return
		}
		s.cur.writes, s.cur.target = true, w
		return
	}
	w := s.operand()
	switch t := s.src[w.from:w.to]; {
	case len(t) == 0, bytes.HasPrefix(t, []byte("/dev/null")), bytes.HasPrefix(t, []byte("/dev/std")):
	case !s.cur.writes:
		s.cur.writes, s.cur.target = true, w
	}
}

// dropDescriptor takes back a word such as the 2 of 2>file.
func (s *script) dropDescriptor() {
	if n := len(s.words); n > s.cur.first && s.words[n-1].to == s.pos {
		w := s.words[n-1]
		if skipDigits(s.src, w.from) == w.to {
			s.words = s.words[:n-1]
		}
	}
}

// comparing reports whether < and > compare here, inside [[ ]].
func (s *script) comparing() bool {
	return len(s.words) > s.cur.first && string(s.bytes(s.words[s.cur.first])) == "[["
}

// operand reads the word a redirection refers to; it is no argument.
func (s *script) operand() part {
	for s.pos < len(s.src) && (s.src[s.pos] == ' ' || s.src[s.pos] == '\t') {
		s.pos++
	}
	from := s.pos
	s.pos = wordEnd(s.src, s.pos)
	return part{from, s.pos}
}
